"""Tell what a user typed from the texts of Codex and its extensions in messages of the user.

The summary of a compaction is such a text, too. Most are encrypted: only the model can read them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from memtui_core.readers.conversion.content import image_in
from memtui_core.readers.conversion.json_values import items, mapping, string

SUMMARY_BEGINS: Final = "Another language model started to solve this problem"
"""The first words of a compaction summary that is stored as a message of the user."""

_TAG: Final = re.compile(r"\s*<([A-Za-z][\w-]*)[^<>]{0,200}>")
_SETUP: Final = frozenset(
    {
        *("environment_context", "user_instructions", "recommended_plugins", "permissions", "collaboration_mode"),
        *("apps_instructions", "skills_instructions", "plugins_instructions", "model_switch", "personality_spec"),
        *("multi_agent_mode", "instructions", "environments", "INSTRUCTIONS"),
    }
)
"""Tags of texts that describe the machine and the rules; they are the same in every session."""
_LABELS: Final = {
    "turn_aborted": "interrupt",
    "subagent_notification": "notification",
    "user_shell_command": "shell",
    "user_shell_cmd": "shell",
    "hook_prompt": "reminder",
    "skill": "reminder",
    "warning": "meta",
}
_IMAGE_TAG: Final = re.compile(r"\s*(?:<image(?: name=[^<>]{0,200})?>|</image>)\s*")
_REQUEST: Final = re.compile(r"^## My request for Codex:[ \t]*\n?", re.MULTILINE)
_CONTEXT: Final = ("# Context from my IDE setup:", "# Files mentioned by the user:")


@dataclass(slots=True)
class UserText:
    """A message of the user."""

    typed: str = ""
    """What the user typed; empty for a message of a program."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Texts of programs, as (label, text)."""
    summary: str = ""
    """The summary of a compaction."""
    images: list[tuple[str, Any]] = field(default_factory=list)
    """(media type, data) of each image."""


def classified(payload: dict[str, Any]) -> UserText:
    """The parts of a `message` of the user."""
    result = UserText()
    typed: list[str] = []
    for text, is_program in _texts(payload, result):
        if _IMAGE_TAG.fullmatch(text):
            continue
        if text.lstrip().startswith(SUMMARY_BEGINS):
            result.summary = text.strip()
        elif (label := _label(text)) is not None or is_program:
            label = "meta" if label is None else label
            if label:
                result.notes.append((label, _without_tag(text, label)))
        else:
            typed.append(text)
    result.typed, context = request_of("\n".join(typed))
    result.notes += [("meta", context)] if context else []
    return result


def request_of(text: str) -> tuple[str, str]:
    """What the user typed in an editor, and the context that the editor put before it."""
    if text.lstrip().startswith(_CONTEXT) and (match := _REQUEST.search(text)) is not None:
        return text[match.end() :].strip(), text[: match.start()].strip()
    return text.strip(), ""


def _texts(payload: dict[str, Any], result: UserText) -> Iterator[tuple[str, bool]]:
    """The texts, each with whether Codex says that it is not of the user."""
    content = payload.get("content")
    if isinstance(content, str):
        yield content, False
        return
    passed = mapping(payload.get("internal_chat_message_metadata_passthrough"))
    kinds: Sequence[Any] = items(passed.get("content_item_kinds"))
    parts = items(content)
    for at, part in enumerate(parts):
        kind = kinds[at] if len(kinds) == len(parts) else None
        if isinstance(part, str):
            yield part, False
        elif (text := string(mapping(part).get("text"))) is not None:
            yield text, isinstance(kind, str) and not kind.startswith("user")
        elif string(mapping(part).get("type")) in {"input_image", "image", "local_image"}:
            result.images.append(image_of(mapping(part)))


def image_of(part: dict[str, Any]) -> tuple[str, str | None]:
    """The media type and the data of an image, which is a data URL or an address."""
    url = part.get("image_url")
    return image_in(string(url) or mapping(url).get("url"))


def _label(text: str) -> str | None:
    """The label of a text of a program; empty if it is not kept; None for a text of the user."""
    if text.lstrip().startswith("# AGENTS.md instructions"):
        return ""
    match = _TAG.match(text)
    if match is None:
        return None
    tag = match[1]
    if tag in _SETUP:
        return ""
    if tag in _LABELS:
        return _LABELS[tag]
    return "meta" if "_" in tag and text.rstrip().endswith(f"</{tag}>") else None


def _without_tag(text: str, label: str) -> str:
    """The text inside its tag."""
    match = _TAG.match(text)
    if match is None or label == "notification":
        return text.strip()
    return text[match.end() :].strip().removesuffix(f"</{match[1]}>").strip()


def is_encrypted(payload: dict[str, Any]) -> bool:
    """Whether the history of a `compacted` entry has the summary as an item that is encrypted."""
    history = (mapping(item) for item in items(payload.get("replacement_history")))
    return any(item.get("type") == "compaction" and string(item.get("encrypted_content")) for item in history)


def summary_of(payload: dict[str, Any]) -> str:
    """The summary in a `compacted` entry; empty if it cannot be read.

    Its history repeats messages before, and can contain the summary as a message of the user.
    """
    if (text := string(payload.get("message"))) is not None and text.strip():
        return text.strip()
    history = (mapping(item) for item in items(payload.get("replacement_history")))
    summaries = [classified(item).summary for item in history if item.get("role") == "user"]
    return next((summary for summary in reversed(summaries) if summary), "")
