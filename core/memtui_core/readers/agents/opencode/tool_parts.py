"""The tool calls of OpenCode with their results: both versions keep a call and its state in one object."""

from __future__ import annotations

from typing import Any, Final

from memtui_core.readers.agents.opencode.values import error_text, moment
from memtui_core.readers.conversion import messages
from memtui_core.readers.conversion.content import result_text
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.conversion.unified_diff import hunks_of
from memtui_core.readers.records import Message

_INVALID: Final = "invalid"
"""The tool that is run for a call that cannot be run; it always succeeds."""
_UNFINISHED: Final = frozenset({"pending", "running", "streaming"})


def add_tool(message: Message, part: dict[str, Any]) -> None:
    """Add a call, its result if there is one, and the subagent that it started."""
    state = mapping(part.get("state"))
    name = string(part.get("tool")) or string(part.get("name"))
    tool_id = string(part.get("callID")) or string(part.get("id"))
    time = mapping(part.get("time")) | mapping(state.get("time"))
    arguments = state.get("input")
    started = moment(time.get("start")) or moment(time.get("ran")) or moment(time.get("created"))
    messages.add_call(message, name, arguments, tool_id, at=started if message.blocks else None)
    # Version 2 calls it `structured`.
    metadata = mapping(state.get("structured")) | mapping(state.get("metadata"))
    if session := string(metadata.get("sessionId")) or string(metadata.get("sessionID")):
        messages.add_agent_call(message, tool_id, arguments, session)
    if string(state.get("status")) in _UNFINISHED or not state:
        return
    ended = moment(time.get("end")) or moment(time.get("completed"))
    exit_code = metadata.get("exit")
    failed = state.get("status") == "error" or name == _INVALID or (_is_number(exit_code) and exit_code != 0)
    detail = _detail(name, metadata)
    messages.add_result(message, _output(state), tool_id, is_error=failed, detail=detail, at=ended)
    for file in items(state.get("attachments")):
        add_file(message, mapping(file))


def add_file(message: Message, file: dict[str, Any]) -> None:
    """Add an attachment; its URL can contain the data."""
    url = string(file.get("url")) or string(file.get("uri")) or ""
    data = url.partition(",")[2] if url.startswith("data:") else None
    messages.add_attachment(message, string(file.get("mime")) or "file", data)


def _output(state: dict[str, Any]) -> str:
    if state.get("status") == "error" and (text := error_text(state.get("error"))):
        return text
    for key in ("output", "content", "result"):
        if state.get(key) not in (None, "", []):
            return result_text(state[key])
    return ""


def _detail(name: str | None, metadata: dict[str, Any]) -> dict[str, Any] | None:
    detail: dict[str, Any] = {}
    if _is_number(metadata.get("exit")):
        detail["exit"] = metadata["exit"]
    # The diff of a patch is of several files; its text is in the call.
    if name not in {"apply_patch", "patch"}:
        diff = string(metadata.get("diff")) or string(mapping(metadata.get("filediff")).get("patch"))
        if diff and (patch := hunks_of(diff)):
            detail["patch"] = patch
    return detail or None


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31
