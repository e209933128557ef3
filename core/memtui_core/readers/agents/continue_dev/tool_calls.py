"""The tool calls of Continue: each with its status, its arguments and its output in one object."""

from __future__ import annotations

from typing import Any, Final

from memtui_core.readers.conversion.content import json_text
from memtui_core.readers.conversion.json_values import from_json, items, mapping, string
from memtui_core.readers.conversion.messages import add_call, add_result
from memtui_core.readers.conversion.unified_diff import patch_detail
from memtui_core.readers.records import Message

_FINISHED: Final = frozenset({"done", "errored", "canceled"})
_FAILED: Final = frozenset({"errored", "canceled"})
_ERROR_OUTPUT: Final = "Tool Call Error"
"""The name that the extensions give to the output of a call that failed."""
_FAILURES: Final = {"Write": "Error writing to file: ", "List": "Error listing files: "}
"""By the tool, the first words of failures that `cn` takes for successes."""
_EDITORS: Final = frozenset({"Edit", "MultiEdit", "Write"})
_DIFF: Final = "\nDiff:\n"
"""The heading before the diff in the results of these tools of `cn`."""


def call_states(item: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls of an item with their states; older versions have one call at most."""
    states = items(item.get("toolCallStates")) or [item.get("toolCallState")]
    return [state for state in states if isinstance(state, dict)]


def has_output(state: dict[str, Any]) -> bool:
    """Whether the state of a call contains its output."""
    return bool(items(state.get("output")))


def add_calls(message: Message, returned: Message, item: dict[str, Any]) -> None:
    """Add the calls of an item to its message, and their outputs to the results."""
    known: set[str] = set()
    for state in call_states(item):
        call = mapping(state.get("toolCall"))
        tool_id = string(state.get("toolCallId")) or string(call.get("id"))
        known.add(tool_id or "")
        _add_call(message, call, state.get("parsedArgs"), tool_id)
        _add_output(returned, state, tool_id, _name_of(call) or "")
    for call in map(mapping, items(mapping(item.get("message")).get("toolCalls"))):
        if (tool_id := string(call.get("id"))) and tool_id not in known:
            _add_call(message, call, None, tool_id)


def _add_call(message: Message, call: dict[str, Any], parsed: Any, tool_id: str | None) -> None:
    written = mapping(call.get("function")).get("arguments")
    # As the model wrote them they may be incomplete.
    arguments = parsed if isinstance(parsed, dict) and parsed else from_json(written) or {}
    add_call(message, _name_of(call), arguments, tool_id)


def _name_of(call: dict[str, Any]) -> str | None:
    return string(mapping(call.get("function")).get("name"))


def _add_output(returned: Message, state: dict[str, Any], tool_id: str | None, tool: str) -> None:
    status = string(state.get("status"))
    if not has_output(state) and status not in _FINISHED:
        return
    outputs = [mapping(output) for output in items(state.get("output"))]
    text = "\n".join(_text_of(output) for output in outputs)
    failed = status in _FAILED or (tool in _FAILURES and text.startswith(_FAILURES[tool]))
    failed = failed or any(output.get("name") == _ERROR_OUTPUT for output in outputs)
    detail = patch_detail(text.partition(_DIFF)[2]) if tool in _EDITORS else None
    add_result(returned, text, tool_id, is_error=failed, detail=detail)


def _text_of(output: dict[str, Any]) -> str:
    content = output.get("content")
    return content if isinstance(content, str) else json_text(content) if content is not None else ""
