"""Convert the entries of Kiro: each is what the user or a tool said, and the answer to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memtui_core.readers.conversion import messages
from memtui_core.readers.conversion.content import json_text, result_text, unknown_entry
from memtui_core.readers.conversion.json_values import epoch, items, mapping, string, timestamp
from memtui_core.readers.formats.document import digest_of
from memtui_core.readers.records import Message, Record

Object = dict[str, Any]


def halves(entry: Any) -> tuple[Any, Any, Object]:
    """The user's half, the assistant's half, and the metadata; older entries are lists."""
    if isinstance(entry, list):
        user, assistant, *_ = [*entry, None, None]
        return user, assistant, {}
    value = mapping(entry)
    return value.get("user"), value.get("assistant"), mapping(value.get("request_metadata"))


def records(entry: Any, line: int, model: str | None) -> Iterator[Record]:
    """The records of an entry."""
    if text := string(mapping(entry).get("summary")):
        yield messages.prompt(line, line, text, None, kind="compaction")
        return
    user, assistant, metadata = halves(entry)
    if not isinstance(user, dict) and not isinstance(assistant, dict):
        yield unknown_entry(mapping(entry) or {"entry": entry}, line)
        return
    yield from _user(mapping(user), line)
    yield from _assistant(mapping(assistant), metadata, line, model)


def _user(user: Object, line: int) -> Iterator[Record]:
    at, content = timestamp(user.get("timestamp")), mapping(user.get("content"))
    uuid = digest_of([content]) if at is not None else None
    prompt = "\n\n".join(
        text for kind in ("Prompt", "CancelledToolUses") if (text := string(mapping(content.get(kind)).get("prompt")))
    )
    message = messages.results(line, line, at, uuid=uuid)
    if prompt.strip():
        message = messages.prompt(line, line, prompt, at, uuid=uuid)
    for kind, value in content.items():
        if kind in {"ToolUseResults", "CancelledToolUses"}:
            for result in map(mapping, items(mapping(value).get("tool_use_results"))):
                _add_result(message, result, cancelled=kind == "CancelledToolUses")
        elif kind != "Prompt":
            yield unknown_entry({kind: value}, line, kind)
    for _ in items(user.get("images")):
        messages.add_attachment(message, "image")
    if message.blocks:
        yield message


def _assistant(assistant: Object, metadata: Object, line: int, model: str | None) -> Iterator[Record]:
    at = timestamp(assistant.get("timestamp")) or epoch(metadata.get("stream_end_timestamp_ms"))
    uuid = digest_of([assistant]) if at is not None else None
    message = messages.answer(line, line, at, uuid=uuid, model=string(metadata.get("model_id")) or model)
    for kind, value in assistant.items():
        if kind in {"Response", "ToolUse"}:
            said = mapping(value)
            messages.add_thinking(message, string(mapping(said.get("thinking")).get("text")) or "")
            messages.add_text(message, string(said.get("content")) or "")
            for call in map(mapping, items(said.get("tool_uses"))):
                name = string(call.get("name")) or string(call.get("orig_name"))
                messages.add_call(message, name, call.get("args", call.get("orig_args")), string(call.get("id")))
        elif kind not in {"timestamp", "message_id"}:
            yield unknown_entry({kind: value}, line, kind)
    if message.blocks:
        yield message


def _add_result(message: Message, result: Object, *, cancelled: bool) -> None:
    texts: list[str] = []
    detail: Object | None = None
    for part in map(mapping, items(result.get("content"))):
        value = part.get("Json")
        outcome = mapping(value)
        if "stdout" in outcome or "stderr" in outcome:
            texts += [text for key in ("stdout", "stderr") if (text := string(outcome.get(key)))]
            code = string(outcome.get("exit_status")) or ""
            detail = {"exit": int(code)} if code.isascii() and code.isdigit() and len(code) < 9 else detail
        else:
            texts.append(result_text(part["Text"]) if "Text" in part else json_text(value))
    failed = result.get("status") == "Error" or cancelled or bool(detail and detail["exit"])
    text = "\n".join(texts)
    messages.add_result(message, text, string(result.get("tool_use_id")), is_error=failed, detail=detail)
