"""Convert the tool calls of Warp."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from memtui_core.readers.conversion import messages
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import AgentCall, Message
from memtui_core.tools.diffs import changed_lines, lines_of

_SUBAGENTS: Final = (
    *("cli", "research", "advice", "computer_use", "summarization", "conversation_search"),
    "warp_documentation_search",
)
"""The kinds of subagents, which are fields of the call."""


def add_call(message: Message, content: Entry) -> None:
    """Add a tool call: the last tool that is set counts."""
    tool_id = string(content.get("tool_call_id"))
    name = next((key for key in reversed(content) if key != "tool_call_id"), "")
    given = mapping(content.get(name))
    arguments: Any = given or content.get(name)
    if name == "call_mcp_tool":
        name, arguments = string(given.get("name")) or name, given.get("args")
    elif name == "apply_file_diffs":
        arguments = {"summary": string(given.get("summary")) or "", "patch": "\n".join(_patch(given))}
    elif name == "read_files" and len(items(given.get("files"))) == 1:
        arguments = given["files"][0]
    elif name == "subagent" and tool_id and (task := string(given.get("task_id"))):
        kind = next((kind for kind in _SUBAGENTS if kind in given), None)
        message.agent_calls.append(AgentCall(tool_id, task, kind))
    messages.add_call(message, name or None, arguments, tool_id)


def _patch(given: Entry) -> Iterator[str]:
    """The changes of files in the format of `apply_patch`, for which Warp has fields."""
    yield "*** Begin Patch"
    for diff in map(mapping, items(given.get("diffs"))):
        yield f"*** Update File: {string(diff.get('file_path')) or ''}"
        for place in changed_lines(string(diff.get("search")) or "", string(diff.get("replace")) or ""):
            yield "@@"
            yield from (sign + text for sign, text in place.lines)
    for update in map(mapping, items(given.get("v4a_updates"))):
        yield f"*** Update File: {string(update.get('file_path')) or ''}"
        if moved := string(update.get("move_to")):
            yield f"*** Move to: {moved}"
        for hunk in map(mapping, items(update.get("hunks"))):
            yield " ".join(["@@", *(text for text in items(hunk.get("change_context")) if text)])
            for sign, key in ((" ", "pre_context"), ("-", "old"), ("+", "new"), (" ", "post_context")):
                yield from (sign + text for text in _lines(hunk.get(key)))
    for file in map(mapping, items(given.get("new_files"))):
        yield f"*** Add File: {string(file.get('file_path')) or ''}"
        yield from ("+" + text for text in _lines(file.get("content")))
    for file in map(mapping, items(given.get("deleted_files"))):
        yield f"*** Delete File: {string(file.get('file_path')) or ''}"
    yield "*** End Patch"


def _lines(value: Any) -> list[str]:
    text = string(value)
    return lines_of(text) if text is not None else []
