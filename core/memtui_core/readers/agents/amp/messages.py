"""Convert the messages of Amp: parts like those of Anthropic's API, but with the runs of tools as their results."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.conversion.anthropic_parts import add_said, parts_of
from memtui_core.readers.conversion.content import json_text, placeholder, result_text, unknown_entry
from memtui_core.readers.conversion.json_values import epoch, items, mapping, string, timestamp
from memtui_core.readers.conversion.messages import (
    add_attachment,
    add_result,
    answer,
    prompt,
    results,
    tokens_in,
    with_notes,
)
from memtui_core.readers.conversion.unified_diff import patch_detail
from memtui_core.readers.conversion.user_text import classify
from memtui_core.readers.records import BoundaryRecord, Message, Record

Object = dict[str, Any]
_TOKENS: Final = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
_REASONS: Final = {"cancelled": "cancelled", "rejected-by-user": "rejected by user"}
"""Statuses of runs that did not come to an end, and what is shown if they have no reason."""
_TEXTS: Final = ("output", "content", "diff")
"""Where the text is in what a shell, a reader of files and an editor return."""


def time_of(message: Object) -> datetime | None:
    """The time at which a prompt was sent or an answer was counted."""
    sent = epoch(mapping(message.get("meta")).get("sentAt"))
    return sent or timestamp(mapping(message.get("usage")).get("timestamp"))


def split(message: Object) -> list[Object]:
    """A message, or two: one with the results of calls and one with all else."""
    parts = items(message.get("content"))
    returned = [part for part in parts if mapping(part).get("type") == "tool_result"]
    if not returned or len(returned) == len(parts):
        return [message]
    others = [part for part in parts if mapping(part).get("type") != "tool_result"]
    return [{**message, "content": returned}, {**message, "content": others}]


def records_of(message: Object, line: int, key: str, at: datetime | None) -> Iterator[Record]:
    """The records of a message."""
    role = message.get("role")
    if role == "user":
        yield from _user(message, line, key, at)
    elif role == "assistant":
        yield from _assistant(message, line, key, at)
    elif role == "info":
        yield from _info(message, line, key, at)
    else:
        yield unknown_entry(message, line, role)


def _user(message: Object, line: int, key: str, at: datetime | None) -> Iterator[Record]:
    """The results of calls, and the prompt; a text inside tags that programs write is a note."""
    returned = results(line, line, at, uuid=f"{key}/results")
    typed: list[str] = []
    added: list[tuple[str, str]] = []
    images: list[Object] = []
    for part in parts_of(message.get("content")):
        kind = string(part.get("type"))
        if kind == "tool_result":
            _add_result(returned, part)
        elif kind == "text":
            said = classify(string(part.get("text")) or "")
            added += [(aside, "reminder") for aside in said.asides]
            if said.kind == "note":
                added.append((said.text, said.label))
            elif said.text.strip():
                typed.append(said.text)
        elif kind == "image":
            images.append(mapping(part.get("source")))
        else:
            yield unknown_entry(part, line, kind)
    if returned.blocks:
        yield returned
    asked = prompt(line, line, "\n\n".join(typed), at, uuid=key)
    for source in images:
        add_attachment(asked, string(source.get("mediaType")) or "image", source.get("data"))
    yield from with_notes(asked, added)


def _add_result(message: Message, part: Object) -> None:
    tool_id = string(part.get("toolUseID")) or string(part.get("tool_use_id"))
    if "run" in part:
        add_run(message, mapping(part["run"]), tool_id)
    else:
        add_result(message, result_text(part.get("content")), tool_id, is_error=part.get("is_error") is True)


def _assistant(message: Object, line: int, key: str, at: datetime | None) -> Iterator[Record]:
    usage = mapping(message.get("usage"))
    tokens = tokens_in(usage, _TOKENS)
    said = answer(line, line, at, uuid=key, message_id=key, model=string(usage.get("model")), usage=tokens)
    unknown: list[Object] = []
    for part in parts_of(message.get("content")):
        kind = string(part.get("type"))
        if add_said(said, part):
            continue
        if kind == "image":
            source = mapping(part.get("source"))
            add_attachment(said, string(source.get("mediaType")) or "image", source.get("data"))
        elif kind != "redacted_thinking":
            unknown.append(part)
    if said.blocks or said.usage is not None:
        yield said
    for part in unknown:
        yield unknown_entry(part, line)


def _info(message: Object, line: int, key: str, at: datetime | None) -> Iterator[Record]:
    """The summary of a compaction; other messages of Amp itself are kept as they are."""
    for part in parts_of(message.get("content")):
        text = string(mapping(part.get("summary")).get("summary"))
        if part.get("type") == "summary" and text is not None:
            yield BoundaryRecord(line, at, None, None)
            yield prompt(line, line, text, at, kind="compaction", uuid=key)
        else:
            yield unknown_entry(part, line)


def add_run(message: Message, run: dict[str, Any], tool_id: str | None) -> None:
    """Add the result of a run: a status, and what the tool returned; nothing if it has not ended yet."""
    status = string(run.get("status"))
    if status == "error":
        add_result(message, _error(run.get("error")), tool_id, is_error=True)
    elif status in _REASONS:
        add_result(message, string(run.get("reason")) or _REASONS[status], tool_id, is_error=True)
    elif status == "done" or "result" in run:
        fields = mapping(run.get("result"))
        code = fields.get("exitCode")
        code = code if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**31 else None
        detail = patch_detail(fields.get("diff")) or ({"exit": code} if code is not None else None)
        failed = bool(code) or fields.get("success") is False
        add_result(message, _returned(run.get("result")), tool_id, is_error=failed, detail=detail)


def _error(error: Any) -> str:
    return string(error) or string(mapping(error).get("message")) or (json_text(error) if error else "")


def _returned(value: Any) -> str:
    """The text of what a tool returned; anything without one as JSON."""
    if value is None or value == []:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        if all(isinstance(line, str) for line in value):
            return "\n".join(value)
        if all(mapping(part).get("type") == "image" for part in value):
            return "\n".join(placeholder(string(part.get("mimeType")) or "image", part.get("data")) for part in value)
    for name in _TEXTS if isinstance(value, dict) else ():
        if isinstance(text := value.get(name), str):
            return text
    return json_text(value)
