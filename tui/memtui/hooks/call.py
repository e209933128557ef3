"""What an agent tells a hook on standard input."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from memtui_core.tools.families import file_of

PROMPT, TOOL, SUBAGENT = "UserPromptSubmit", "PreToolUse", "SubagentStart"
STOP, COMPACT, END = "Stop", "PreCompact", "SessionEnd"
EVENTS = (PROMPT, TOOL, SUBAGENT, STOP, COMPACT, END)
"""The events that memtui answers."""
FILE_TOOLS = ("Read", "Edit", "Write", "NotebookEdit")
"""The tools of Claude Code that open one file, as its settings name them."""


class BadCall(Exception):
    """What came in is no call of a hook."""


class Call(NamedTuple):
    """One call; a field that was not given is an empty text."""

    event: str
    session: str = ""
    """The session as the person sees it."""
    agent: str = ""
    """The subagent that works in it; empty for the agent that the person talks to."""
    transcript: str = ""
    cwd: str = ""
    prompt: str = ""
    file: str = ""
    """The file that a tool is about to read or to change; empty for tools that open none."""

    @property
    def asker(self) -> str:
        """Id under which the index knows the conversation that asks: a subagent sees its own turns only."""
        return f"agent-{self.agent}" if self.agent else self.session


def parse(event: str, given: bytes) -> Call:
    """The call in a JSON object; `event` names it, else the object does. Raises BadCall."""
    try:
        value = json.loads(given)
    except (ValueError, RecursionError) as error:
        raise BadCall(f"no JSON: {type(error).__name__}") from error
    if not isinstance(value, dict):
        raise BadCall("no JSON object")
    name = event or _text(value, "hook_event_name")
    if name not in EVENTS:
        raise BadCall(f"unknown event {name[:40]!r}")
    tool, fields = _text(value, "tool_name"), value.get("tool_input")
    return Call(
        name,
        session=_text(value, "session_id"),
        agent=_text(value, "agent_id"),
        transcript=_text(value, "transcript_path"),
        cwd=_text(value, "cwd"),
        prompt=_text(value, "prompt"),
        file=_safe(file_of(tool, fields if isinstance(fields, dict) else {})),
    )


def _text(value: dict[str, Any], key: str) -> str:
    text = value.get(key)
    return _safe(text) if isinstance(text, str) else ""


def _safe(text: str) -> str:
    """The text without halves of characters, which can be written to no file and asked of no database."""
    return text.encode("utf-8", "replace").decode()
