"""Convert the messages of Crush."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.conversion import messages
from memtui_core.readers.conversion.content import result_text, unknown_entry
from memtui_core.readers.conversion.json_values import items, mapping, object_from, string
from memtui_core.readers.formats.document import digest_of
from memtui_core.readers.records import AgentCall, Message, Record, Usage

_SUBAGENTS: Final = frozenset({"agent", "agentic_fetch"})
_BETWEEN: Final = "$$"
"""Stands between the message and the call that started a subagent, in the id of its session."""
_FAILED: Final = "error"
_CANCELLED: Final = "canceled"
Entry = dict[str, Any]


def records(entry: Entry, line: int, at: datetime | None, *, is_subagent: bool) -> Iterator[Record]:
    """The records of a message."""
    role = string(entry.get("role"))
    parts = [part for part in items(entry.get("parts")) if isinstance(part, dict)]
    uuid = digest_of([role, string(entry.get("id")), _data_of(parts)])
    text = _text(parts)
    if role == "assistant" and entry.get("is_summary_message"):
        message = messages.prompt(line, line, text, at, kind="compaction", uuid=uuid)
        parts = [part for part in parts if part.get("type") == "finish"]
    elif role == "assistant":
        message = messages.answer(line, line, at, uuid=uuid, message_id=string(entry.get("id")))
    elif role == "user" and text:
        message = messages.prompt(line, line, text, at, kind="agent" if is_subagent else "human", uuid=uuid)
    elif role in {"user", "tool"}:
        message = messages.results(line, line, at, uuid=uuid)
    else:
        yield unknown_entry(entry, line, role)
        return
    if role == "assistant":
        message.model, message.usage = string(entry.get("model")), _usage(entry)
    for part in parts:
        yield from _add(message, part, line, string(entry.get("id")))
    if message.blocks or message.usage is not None:
        yield message


def _add(message: Message, part: Entry, line: int, message_id: str | None) -> Iterator[Record]:
    kind, data = string(part.get("type")), mapping(part.get("data"))
    if kind == "text":
        if message.kind == "assistant":
            messages.add_text(message, string(data.get("text")) or "")
    elif kind == "reasoning":
        messages.add_thinking(message, string(data.get("thinking")) or "")
    elif kind == "tool_call":
        _add_call(message, data, message_id)
    elif kind == "tool_result":
        metadata = object_from(data.get("metadata"))
        exit_code = metadata.get("exit_code")
        detail = {"exit": exit_code} if isinstance(exit_code, int) and not isinstance(exit_code, bool) else None
        failed = data.get("is_error") is True
        tool_id = string(data.get("tool_call_id"))
        messages.add_result(message, result_text(data.get("content")), tool_id, is_error=failed, detail=detail)
    elif kind in {"image_url", "binary"}:
        media = string(data.get("MIMEType")) or string(data.get("mime_type")) or "image"
        messages.add_attachment(message, media, data.get("Data"))
    elif kind == "shell_command":
        code = data.get("exit_code")
        failed = isinstance(code, int) and not isinstance(code, bool) and code != 0
        lines = [f"$ {string(data.get('command')) or ''}", *([f"Exit code: {code}"] if failed else [])]
        text = "\n".join([*lines, string(data.get("output")) or ""]).strip()
        messages.add_note(message, text, "shell", is_error=failed)
    elif kind == "finish":
        _add_end(message, data)
    else:
        yield unknown_entry(part, line)


def _add_call(message: Message, data: Entry, message_id: str | None) -> None:
    tool_id, name = string(data.get("id")), string(data.get("name"))
    arguments = object_from(data.get("input")) or data.get("input")
    messages.add_call(message, name, arguments, tool_id)
    if name in _SUBAGENTS and tool_id and message_id:
        prompt = string(mapping(arguments).get("prompt"))
        message.agent_calls.append(AgentCall(tool_id, f"{message_id}{_BETWEEN}{tool_id}", name, None, prompt))


def _add_end(message: Message, data: Entry) -> None:
    reason = string(data.get("reason"))
    text = "\n".join(text for key in ("message", "details") if (text := string(data.get(key))))
    if reason == _FAILED:
        messages.add_note(message, text or "The answer failed", "error", is_error=True)
    elif reason == _CANCELLED:
        messages.add_note(message, text or "The user stopped the answer", "interrupt")


def _usage(entry: Entry) -> Usage | None:
    total = entry.get("total")
    return Usage(*total) if total and any(total) else None


def _text(parts: list[Entry]) -> str:
    texts = (string(mapping(part.get("data")).get("text")) for part in parts if part.get("type") == "text")
    return "\n\n".join(text for text in texts if text and text.strip())


def _data_of(parts: list[Entry]) -> list[Any]:
    return [part.get("data") for part in parts if part.get("type") != "finish"]
