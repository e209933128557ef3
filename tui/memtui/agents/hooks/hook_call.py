"""The input that an agent passes to a hook on standard input."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

PROMPT, TOOL, SUBAGENT = "UserPromptSubmit", "PreToolUse", "SubagentStart"
STOP, COMPACT, START, END = "Stop", "PreCompact", "SessionStart", "SessionEnd"
DONE, FAILED = "PostToolUse", "PostToolUseFailure"
"""After a tool call, and after one that failed: an agent has one event for both, or one for each."""
EVENTS = (PROMPT, TOOL, SUBAGENT, STOP, COMPACT, START, END, DONE, FAILED)
"""The events that memtui handles."""
COMPACTED = "compact"
"""The source of a start after a compaction."""


class BadCall(Exception):
    """The input is not a valid hook call."""


class HookCall(NamedTuple):
    """One call of a hook; missing fields are empty."""

    event: str
    session: str = ""
    """The id of the session that the user works in."""
    agent: str = ""
    """The id of the subagent that called the hook; empty for the main agent."""
    transcript: str = ""
    cwd: str = ""
    prompt: str = ""
    file: str = ""
    """The file that a tool is about to read or change; empty for tools without a file."""
    named: str = ""
    """The event as the agent calls it."""
    source: str = ""
    """Why a session starts: `startup`, `resume`, `clear` or `compact`."""
    output: str = ""
    """What a shell command printed that has failed; empty for all other calls."""

    @property
    def conversation_id(self) -> str:
        """The session id, in the index, of the conversation that called the hook: a subagent has its own."""
        return f"agent-{self.agent}" if self.agent else self.session


def parse(event: str, content: bytes) -> HookCall:
    """Parse the JSON object of a hook call; if `event` is empty, the object contains it. Raises BadCall."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadCall(f"no JSON: {type(error).__name__}") from error
    if not isinstance(value, dict):
        raise BadCall("no JSON object")
    name = event or _text(value, "hook_event_name")
    if name not in EVENTS:
        raise BadCall(f"unknown event {name[:40]!r}")
    tool, fields = _text(value, "tool_name"), value.get("tool_input")
    return HookCall(
        name,
        session=_text(value, "session_id"),
        agent=_text(value, "agent_id"),
        transcript=_text(value, "transcript_path"),
        cwd=_text(value, "cwd"),
        prompt=_text(value, "prompt"),
        file=_safe(_file_of(tool, fields)) if name == TOOL and tool and isinstance(fields, dict) else "",
        named=_text(value, "hook_event_name") or name,
        source=_text(value, "source"),
        output=_failed_output(value) if name in (DONE, FAILED) and _is_command(fields) else "",
    )


def _is_command(fields: Any) -> bool:
    return isinstance(fields, dict) and isinstance(fields.get("command"), str | list)


def _failed_output(value: dict[str, Any]) -> str:
    """What a failed call printed: its error, or the response if that says that it failed."""
    if value.get("is_interrupt"):
        return ""
    response = value.get("tool_response")
    if error := _text(value, "error"):
        return error
    if not isinstance(response, dict) or not (response.get("is_error") or response.get("exit_code")):
        return ""
    return "\n".join(filter(None, (_text(response, name) for name in ("output", "stdout", "stderr"))))


def _file_of(tool: str, fields: dict[str, Any]) -> str:
    """The file that a call opens. What all agents call their tools takes long to load, so it is asked for last."""
    from memtui_core.readers.agents.claude_code.profile import PROFILE as CLAUDE_CODE
    from memtui_core.readers.agents.generic.profile import PROFILE as SHARED
    from memtui_core.tools.vocabulary import Vocabulary, vocabulary

    own = Vocabulary((SHARED, CLAUDE_CODE))
    if own.family_of(tool) == "shell":
        return ""
    return own.file_of(tool, fields) or vocabulary().file_of(tool, fields) or _patched_file(fields)


def _patched_file(fields: dict[str, Any]) -> str:
    """The first file of a patch in the format of `apply_patch`; empty if no field is one."""
    patch = next((text for text in fields.values() if isinstance(text, str) and "*** Begin Patch" in text[:100]), "")
    if not patch:
        return ""
    from memtui_core.tools.edits import edits_of_patch

    return next((edit.path for edit in edits_of_patch(patch)), "")


def _text(value: dict[str, Any], key: str) -> str:
    text = value.get(key)
    return _safe(text) if isinstance(text, str) else ""


def _safe(text: str) -> str:
    """The text without lone surrogates, which can neither be written to a file nor be passed to a database."""
    return text.encode("utf-8", "replace").decode()
