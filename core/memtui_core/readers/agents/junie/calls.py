"""Convert the steps of Junie that are tool calls, each with its result.

The log has no names of tools but those of MCP servers: the names here say what the steps did.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.agents.junie.steps import TOOL, is_open
from memtui_core.readers.conversion import messages
from memtui_core.readers.conversion.json_values import from_json, items, mapping, string
from memtui_core.readers.conversion.unified_diff import hunks_between
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import Message

_CHANGES: Final = "FileChangesBlockUpdatedEvent"
_FILES: Final = "ViewFilesBlockUpdatedEvent"
_MCP: Final = "McpBlockUpdatedEvent"
_NAMED: Final = {
    "TerminalBlockUpdatedEvent": ("terminal", "command", "command"),
    "TestRunBlockUpdatedEvent": ("run_tests", "name", "name"),
    "CustomAgentBlockUpdatedEvent": ("subagent", "name", "name"),
    TOOL: ("tool", "text", "description"),
}
"""By the kind of a step, the name of the tool, the field with what it did, and the name of the argument for it."""
CALLS: Final = frozenset({_CHANGES, _FILES, _MCP, *_NAMED})


@dataclass(frozen=True, slots=True)
class _Call:
    name: str
    arguments: Any
    detail: Entry | None = None


def call_message(kind: str, step: Entry, line: int, at: datetime | None, ended: datetime | None) -> Message:
    """The tool calls of a step with their results; a step that has not ended has none, or its output so far."""
    message = messages.answer(line, line, at)
    output = string(step.get("output")) or string(step.get("presentableOutput")) or ""
    summary = string(step.get("details")) or ""
    if not output:
        output, summary = summary, ""
    status, step_id = string(step.get("status")) or "", string(step.get("stepId"))
    calls = list(_calls(kind, step))
    for number, call in enumerate(calls):
        tool_id = f"{step_id or line}:{number}" if len(calls) > 1 else step_id or str(line)
        messages.add_call(message, call.name, call.arguments, tool_id)
        if not is_open(step) or output:
            text, failed = output if number == 0 else "", status == "FAILED"
            messages.add_result(message, text, tool_id, is_error=failed, detail=call.detail, at=ended)
    messages.add_note(message, summary, "recap")
    return message


def _calls(kind: str, step: Entry) -> Iterator[_Call]:
    if kind == _CHANGES:
        yield from (_change(mapping(change)) for change in items(step.get("changes")))
    elif kind == _FILES:
        for file in map(mapping, items(step.get("files"))):
            path = string(file.get("relativePath")) or string(file.get("path")) or ""
            yield _Call("view_file", {"path": path, **_without(file, "relativePath", "path")})
    elif kind == _MCP:
        yield _Call(string(step.get("toolName")) or "mcp", from_json(step.get("input")))
    else:
        name, field, argument = _NAMED[kind]
        yield _Call(name, {argument: string(step.get(field)) or ""})


def _change(change: Entry) -> _Call:
    """A file that was made, changed, moved or deleted; the event has the whole file before and after.

    Each place that changed is an edit in the input, where searches find its lines.
    """
    before, after = _text(change.get("beforeContent")), _text(change.get("afterContent"))
    old = string(change.get("beforeRelativePath"))
    new = string(change.get("afterRelativePath")) or string(change.get("relativePath"))
    path = new or old or ""
    if before is None and after is not None:
        return _Call("create_file", {"path": path, "content": after})
    moved = {"old_path": old} if old and new and old != new else {}
    name = "edit" if new else "delete_file"
    hunks = hunks_between(before or "", after or "")
    # As the input of the call the lines are found by a search, too.
    edits = [{"old_string": _lines(hunk, "+"), "new_string": _lines(hunk, "-")} for hunk in hunks]
    arguments = {"path": path, **moved, **({"edits": edits} if edits else {})}
    return _Call(name, arguments, {"patch": hunks} if hunks else None)


def _lines(hunk: Entry, other: str) -> str:
    """The lines of a hunk before or after the change, without those of the other side."""
    return "\n".join(line[1:] for line in hunk["lines"] if line[0] != other)


def _text(content: Any) -> str | None:
    text = mapping(content).get("text")
    return text if isinstance(text, str) else None


def _without(values: Entry, *keys: str) -> Entry:
    return {key: value for key, value in values.items() if key not in keys}
