"""Convert the entries of Claude Code to messages: their kind, their text and their blocks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memtui_core.model import Block
from memtui_core.readers.agents.claude_code import blocks
from memtui_core.readers.conversion import user_text
from memtui_core.readers.conversion.anthropic_parts import TOKENS
from memtui_core.readers.conversion.content import attachment
from memtui_core.readers.conversion.json_values import count, mapping, string, timestamp
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import AgentCall, BoundaryRecord, Message, Record, Usage
from memtui_core.text.controls import without_escape_sequences
from memtui_core.text.redaction import redact
from memtui_core.tools.summary import summarize

_SYSTEM_NOTES = {"away_summary": "recap", "api_error": "error", "informational": "meta", "local_command": "command"}


def assistant_message(entry: Entry, body: Entry, line: int, offset: int, at: datetime | None) -> Message | None:
    """The message of an assistant entry; None if it has neither blocks nor usage."""
    model = string(body.get("model"))
    failed = entry.get("isApiErrorMessage") is True
    items = body.get("content")
    items = items if isinstance(items, list) else [items]
    message = Message(line, offset, "assistant", "assistant", message_id=string(body.get("id")))
    message.model = None if model == "<synthetic>" else model
    for item in items:
        block = blocks.assistant_block(item, line, at, failed)
        if block is not None:
            message.blocks.append(block)
        if isinstance(item, dict) and item.get("type") == "tool_use":
            summary = summarize(item.get("name"), item.get("input"))
            if summary is not None:
                message.tool_summary.append(redact(summary))
            if call := blocks.agent_call(item):
                message.agent_calls.append(call)
    message.usage = _usage(body.get("usage")) if model != "<synthetic>" else None
    return message if message.blocks or message.usage else None


def user_message(entry: Entry, body: Entry, line: int, offset: int, at: datetime | None) -> Message | None:
    """The message of a user entry: text of the user, tool results, or text of programs stored as user text."""
    items = body.get("content")
    message = Message(line, offset, "note", "user")
    texts: list[str] = []
    parts = items if isinstance(items, list) else [items]
    results = [part for part in parts if isinstance(part, dict) and part.get("type") == "tool_result"]
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif not isinstance(part, dict):
            continue
        elif part.get("type") == "text" and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif part.get("type") == "tool_result":
            extra = entry.get("toolUseResult") if len(results) == 1 else None
            block = blocks.result_block(part, extra, line, at)
            message.blocks.append(block)
            if block.tool_id and isinstance(extra, dict) and isinstance(extra.get("agentId"), str):
                agent_type = string(extra.get("agentType"))
                message.agent_calls.append(AgentCall(block.tool_id, extra["agentId"], agent_type))
        elif string(part.get("type")) in {"image", "document"}:
            message.blocks.append(Block(0, line, "image", attachment(part), at=at))
    _set_texts(message, entry, texts, bool(results))
    return message if message.blocks else None


def _set_texts(message: Message, entry: Entry, texts: list[str], has_results: bool) -> None:
    """Set the kind of a message and add the blocks of its texts: first one with the user's text, then the notes."""
    line, at = message.line, timestamp(entry.get("timestamp"))
    user_texts: list[str] = []
    notes: list[Block] = []
    is_summary = entry.get("isCompactSummary") is True
    is_automatic = entry.get("isMeta") is True or _speaker(entry) not in {None, "human"}
    kinds: set[str] = set()
    for index, text in enumerate(texts):
        part = user_text.classify(text)
        if is_summary and index == 0:
            part = user_text.UserText("compaction", text)
        kind, label = part.kind, part.label
        if is_automatic and kind in {"human", "agent"}:
            kind, label = "note", "notification" if _speaker(entry) not in {None, "human"} else "meta"
        notes += [Block(0, line, "note", redact(aside), "reminder", at=at) for aside in part.asides]
        if kind == "note":
            notes.append(Block(0, line, "note", redact(part.text), label, at=at))
        elif part.text.strip():
            kinds.add(kind)
            user_texts.append(redact(part.text))
    has_images = any(block.kind == "image" for block in message.blocks)
    for name in ("compaction", "command", "human", "agent"):
        if name in kinds:
            message.kind = name
            break
    else:
        message.kind = "results" if has_results else "human" if has_images and not is_automatic else "note"
    if user_texts:
        message.blocks.insert(0, Block(0, line, "user", "\n\n".join(user_texts), at=at))
    message.blocks += notes


def system_records(entry: Entry, line: int, offset: int) -> Iterator[Record]:
    """The compaction boundary or note in a system entry; nothing for entries without text for the user."""
    subtype, at = entry.get("subtype"), timestamp(entry.get("timestamp"))
    if subtype == "compact_boundary":
        meta = mapping(entry.get("compactMetadata"))
        tokens = meta.get("preTokens")
        is_valid = isinstance(tokens, int) and 0 <= tokens < 2**62
        yield BoundaryRecord(line, at, string(meta.get("trigger")), tokens if is_valid else None)
        return
    label = _SYSTEM_NOTES.get(subtype) if isinstance(subtype, str) else None
    text = entry.get("content")
    if label == "error" and not isinstance(text, str):
        text = f"API error, attempt {entry.get('retryAttempt')} of {entry.get('maxRetries')}"
    if label and isinstance(text, str) and text.strip():
        part = user_text.classify(text)
        note = part.text if part.kind in {"command", "note"} else without_escape_sequences(text)
        block = Block(0, line, "note", redact(note), label, is_error=label == "error", at=at)
        message = Message(line, offset, "note", "system", blocks=[block], at=at)
        message.uuid = string(entry.get("uuid"))
        message.sidechain = entry.get("isSidechain") is True
        yield message


def _usage(value: Any) -> Usage | None:
    if not isinstance(value, dict):
        return None
    return Usage(*(count(value.get(name)) for name in TOKENS))


def _speaker(entry: Entry) -> str | None:
    kind = string(mapping(entry.get("origin")).get("kind"))
    return "system" if kind is None and entry.get("promptSource") == "system" else kind
