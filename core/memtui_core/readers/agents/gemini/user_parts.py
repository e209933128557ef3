"""Tell what the user typed from what Gemini CLI adds to a message of the user: files, context, summaries."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from memtui_core.readers.conversion.genai_parts import parts_of, texts_of

_PROGRAM_TEXTS: Final = (
    "<session_context>",
    "<hook_context>",
    "This is the Gemini CLI. We are setting up the context for our chat",
    "Here is the user's editor context as a JSON object",
    "Here is a summary of changes in the user's editor context",
    "System: Please continue.",
    "System: Potential loop detected",
)
_SUMMARIES: Final = ("<state_snapshot>", "<intent_summary>")
_FILES_BEGIN: Final = "--- Content from referenced files ---"
_COMMAND: Final = re.compile(r"/[A-Za-z][\w:.-]{0,60}(?:\s|$)")


@dataclass(slots=True)
class UserParts:
    """The parts of a message of the user."""

    kind: str = "human"
    """human, command or compaction."""
    typed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    """Texts of programs."""


def user_parts(entry: dict[str, Any]) -> UserParts:
    """Sort the texts of a message; `displayContent` is what the user typed, if Gemini CLI changed it."""
    result = UserParts()
    shown = texts_of(parts_of(entry.get("displayContent")))
    files = False
    for text in texts_of(parts_of(entry.get("content", entry.get("parts")))):
        head = text.lstrip()
        if head.startswith(_SUMMARIES):
            result.kind = "compaction"
            result.typed.append(text)
            continue
        files = files or head.startswith(_FILES_BEGIN)
        if files or head.startswith(_PROGRAM_TEXTS) or (shown and text not in shown):
            result.added.append(text)
        else:
            result.typed.append(text)
    if shown and result.kind != "compaction":
        result.typed = shown
    if result.kind == "human" and result.typed and _COMMAND.match(result.typed[0]):
        result.kind = "command"
    return result


def prompt_text(entry: dict[str, Any]) -> str:
    """What the user typed in a message."""
    return "\n\n".join(user_parts(entry).typed)
