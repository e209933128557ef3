"""Convert the messages of Hermes Agent, which are those of a chat API with some fields of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from memtui_core.readers.agents.hermes.stores import moment
from memtui_core.readers.conversion.content import image_in, result_text, unknown_entry
from memtui_core.readers.conversion.json_values import from_json, items, mapping, string
from memtui_core.readers.conversion.messages import (
    add_attachment,
    add_call,
    add_note,
    add_result,
    add_text,
    add_thinking,
    answer,
    note,
    prompt,
    results,
)
from memtui_core.readers.conversion.unified_diff import patch_detail
from memtui_core.readers.formats.document import digest_of
from memtui_core.readers.formats.jsonl import decode
from memtui_core.readers.records import AgentCall, BoundaryRecord, Message, Record, Usage

_SUMMARIES: Final = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:")
"""The first words of the summary of a compaction."""
_MERGED: Final = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
"""What separates a summary from the message before it to which it was added."""
_BY_PROGRAM: Final = (
    "Continue from the compressed conversation context above.",
    "Review the conversation above and update the skill library",
    "Review the conversation above and consider saving to memory",
)
_DISPLAYED: Final = {
    "hidden": "reminder",
    "async_delegation_complete": "notification",
    "auto_continue": "meta",
    "model_switch": "meta",
}
"""The kinds of texts of programs in the place of a prompt, with the labels of their notes."""
_THINKING: Final = re.compile(r"<think>(.*?)</think>\s*", re.DOTALL)
_SUBAGENT_TOOL: Final = "delegate_task"
_SHOWN: Final = {"terminal": "output", "read_file": "content"}
"""The field with the text to read, by the tool; other results are read as they are."""
_HARMLESS: Final = "not an error"
"""In what an exit code means if the command only found nothing."""


@dataclass(frozen=True, slots=True)
class MessageContext:
    """What the message itself does not say."""

    model: str | None
    usage: Usage | None
    by_agent: bool
    """Whether an agent writes the prompts."""
    tools: Mapping[str, str]
    """The tools of the calls so far, by the ids of the calls: some results do not name theirs."""


def tools_of(entry: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The ids of the calls of a message, each with the name of its tool."""
    for call in map(mapping, items(entry.get("tool_calls"))):
        tool_id, name = _call_id(call), string(mapping(call.get("function")).get("name"))
        if tool_id is not None and name is not None:
            yield tool_id, name


def records_of(entry: dict[str, Any], line: int, context: MessageContext) -> Iterator[Record]:
    """The records of a message."""
    role, at = string(entry.get("role")), moment(entry.get("timestamp"))
    text = _text(entry.get("content"))
    uuid = _id_of(entry) if at is not None else None
    if _is_summary(entry, text) and role in {"user", "assistant", "system"}:
        yield BoundaryRecord(line, at, None, None)
        yield prompt(line, line, text, at, kind="compaction", uuid=uuid)
    elif role == "user":
        yield _user(entry, text, line, context, uuid)
    elif role == "assistant":
        yield _assistant(entry, text, line, context, uuid)
    elif role == "tool":
        message = results(line, line, at, uuid=uuid)
        tool_id = string(entry.get("tool_call_id"))
        found = result_of(text, string(entry.get("tool_name")) or context.tools.get(tool_id or "", ""))
        add_result(message, found.text, tool_id, is_error=found.is_error, detail=found.detail)
        yield message
    elif role == "system":
        if text.strip():
            yield note(line, line, text, "reminder", at, uuid=uuid)
    elif role != "session_meta":
        yield unknown_entry(entry, line, role and f"message {role}")


def _user(entry: dict[str, Any], text: str, line: int, context: MessageContext, uuid: str | None) -> Message:
    at = moment(entry.get("timestamp"))
    label = _DISPLAYED.get(string(entry.get("display_kind")) or "")
    if label is None and text.startswith(_BY_PROGRAM):
        label = "reminder"
    if label is not None:
        return note(line, line, text, label, at, uuid=uuid)
    message = prompt(line, line, text, at, kind="agent" if context.by_agent else "human", uuid=uuid)
    for part in _images(entry.get("content")):
        _add_image(message, part)
    return message


def _assistant(entry: dict[str, Any], text: str, line: int, context: MessageContext, uuid: str | None) -> Message:
    at = moment(entry.get("timestamp"))
    message = answer(line, line, at, uuid=uuid, model=context.model, usage=context.usage)
    # Files have the thinking inside the text.
    inside = "\n\n".join(match[1].strip() for match in _THINKING.finditer(text))
    said = string(entry.get("reasoning")) or string(entry.get("reasoning_content")) or ""
    for thinking in dict.fromkeys((said.strip(), inside)):
        add_thinking(message, thinking)
    if entry.get("display_kind") == "hidden":
        add_note(message, text, "reminder")
    else:
        add_text(message, _THINKING.sub("", text) if inside else text)
    calls = entry.get("tool_calls")
    for call in map(mapping, items(calls)):
        _add_call(message, call)
    if isinstance(calls, str):
        # The column should be JSON.
        add_note(message, calls, "meta")
    return message


def _add_call(message: Message, call: dict[str, Any]) -> None:
    function = mapping(call.get("function"))
    name, tool_id = string(function.get("name")), _call_id(call)
    arguments = from_json(function.get("arguments"))
    add_call(message, name, arguments, tool_id)
    goal = string(mapping(arguments).get("goal"))
    # A call with several tasks does not say which session does which.
    if name == _SUBAGENT_TOOL and tool_id is not None and goal is not None:
        message.agent_calls.append(AgentCall(tool_id, prompt=goal))


def _call_id(call: dict[str, Any]) -> str | None:
    return string(call.get("id")) or string(call.get("call_id"))


def _is_summary(entry: dict[str, Any], text: str) -> bool:
    if entry.get("_compressed_summary") is True or text.lstrip().startswith(_SUMMARIES):
        return True
    return text.partition(_MERGED)[2].lstrip().startswith(_SUMMARIES)


def _id_of(entry: dict[str, Any]) -> str:
    """An id that the copies of a message in other sessions share."""
    return digest_of([entry.get(name) for name in ("role", "content", "tool_calls", "tool_call_id")])


def _text(content: Any) -> str:
    if not isinstance(content, list):
        return result_text(content)
    return result_text([part for part in content if not _is_image(part)])


def _images(content: Any) -> list[dict[str, Any]]:
    return [part for part in items(content) if _is_image(part)]


def _is_image(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in ("image_url", "image", "input_image")


def _add_image(message: Message, part: dict[str, Any]) -> None:
    """Add an image, whose address contains its type and data if it is not stored elsewhere."""
    value = part.get("image_url")
    add_attachment(message, *image_in(string(value) or mapping(value).get("url")))


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a result says."""

    text: str
    is_error: bool = False
    detail: dict[str, Any] | None = None
    """As in `Block.detail`."""


def result_of(text: str, tool: str) -> ToolResult:
    """The result in a text; a text that is no JSON object is a result as it is."""
    entries, reason = decode(text.encode("utf-8", "replace")) if text.lstrip().startswith("{") else ([], None)
    if len(entries) != 1 or reason is not None:
        return ToolResult(text)
    fields = mapping(entries[0])
    error, code = string(fields.get("error")), fields.get("exit_code")
    failed = isinstance(code, int) and not isinstance(code, bool) and code != 0
    if _HARMLESS in (string(fields.get("exit_code_meaning")) or ""):
        failed = False
    shown = fields.get(_SHOWN.get(tool, ""))
    if isinstance(shown, str):
        parts = [shown, error or "", f"exit code: {code}" if failed else ""]
        text = "\n".join(part for part in parts if part)
    is_error = failed or error is not None or fields.get("success") is False
    return ToolResult(text, is_error, patch_detail(fields.get("diff")))
