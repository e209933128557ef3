"""Convert the messages of Goose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from memtui_core.readers.agents.goose.stores import moment
from memtui_core.readers.conversion import messages
from memtui_core.readers.conversion.content import result_text, unknown_entry
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.formats.document import digest_of
from memtui_core.readers.records import Message, Record

_NOTHING_TO_READ: Final = frozenset(
    {"toolConfirmationRequest", "redactedThinking", "summarizationRequested", "contextLengthExceeded", "actionRequired"}
)
Entry = dict[str, Any]


def records(
    entry: Entry, line: int, model: str | None, *, after_compaction: bool, is_subagent: bool
) -> Iterator[Record]:
    """The records of a message; `after_compaction` as in `GooseReading`."""
    role, parts = entry.get("role"), [part for part in items(entry.get("content")) if isinstance(part, dict)]
    at = moment(entry.get("created"))
    uuid = digest_of([role, parts]) if at is not None else string(entry.get("id"))
    text = "\n\n".join(text for part in parts if part.get("type") == "text" and (text := string(part.get("text"))))
    hidden = mapping(entry.get("metadata")).get("userVisible") is False
    if hidden and after_compaction and text:
        yield messages.prompt(line, line, text, at, kind="compaction", uuid=uuid)
        return
    if role == "assistant":
        # Of the message, or of the whole session, which the last answer has.
        usage = messages.tokens_in(entry.get("tokens"), ("input", "output"))
        message = messages.answer(
            line, line, at, uuid=uuid, message_id=string(entry.get("id")), model=model, usage=usage
        )
    elif role in {"user", "tool"}:
        has_results = any(part.get("type") == "toolResponse" for part in parts)
        message = messages.results(line, line, at, uuid=uuid)
        if text and not hidden and not has_results:
            message = messages.prompt(line, line, text, at, kind="agent" if is_subagent else "human", uuid=uuid)
    else:
        yield unknown_entry(entry, line, role)
        return
    for part in parts:
        yield from _add(message, part, line, hidden=hidden)
    if message.blocks or message.usage is not None:
        yield message


def _add(message: Message, part: Entry, line: int, *, hidden: bool) -> Iterator[Record]:
    kind, text = string(part.get("type")), string(part.get("text")) or ""
    if kind == "text" and (hidden or message.kind == "results"):
        messages.add_note(message, text, "reminder")
    elif kind == "text" and message.kind == "assistant":
        messages.add_text(message, text)
    elif kind == "thinking":
        messages.add_thinking(message, string(part.get("thinking")) or "")
    elif kind in {"toolRequest", "frontendToolRequest"}:
        _add_call(message, part)
    elif kind == "toolResponse":
        _add_result(message, part)
    elif kind == "image":
        messages.add_attachment(message, string(part.get("mimeType")) or "image", part.get("data"))
    elif kind == "systemNotification":
        messages.add_note(message, string(part.get("msg")) or "", "meta")
    elif kind != "text" and kind not in _NOTHING_TO_READ:
        yield unknown_entry(part, line)


def _add_call(message: Message, part: Entry) -> None:
    """Add a call, which is in `value` if the agent could parse it."""
    call = mapping(part.get("toolCall"))
    value = mapping(call.get("value")) or call
    tool_id = string(part.get("id")) or string(value.get("id"))
    messages.add_call(message, string(value.get("name")), value.get("arguments"), tool_id)


def _add_result(message: Message, part: Entry) -> None:
    result = mapping(part.get("toolResult"))
    value = result.get("value", result)
    content = mapping(value).get("content", value)
    failed = result.get("status") == "error" or mapping(value).get("isError") is True
    text = string(result.get("error")) if failed and result.get("error") else result_text(content)
    tool_id = string(part.get("id")) or string(part.get("toolCallId"))
    messages.add_result(message, text or "", tool_id, is_error=failed)
