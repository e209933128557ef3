"""Convert the messages of OpenCode 1, which consist of parts; exports and JSON trees have the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import orjson

from memtui_core.readers.agents.opencode.tool_parts import add_file, add_tool
from memtui_core.readers.agents.opencode.values import error_text, model_of, moment, usage_of
from memtui_core.readers.conversion import messages
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.records import BadLine, BoundaryRecord, Message, Record

_NOTHING_TO_READ: Final = frozenset({"step-start", "step-finish", "snapshot", "patch", "agent"})
_KNOWN: Final = frozenset({"text", "reasoning", "tool", "file", "retry", "compaction", "subtask"})
_FIRST_WORDS: Final = 20
"""Characters that tell a message from others of the same millisecond; few, because it may not be complete yet."""
_ABORTED: Final = "MessageAbortedError"


def records(entry: dict[str, Any], line: int, progress: Progress) -> Iterator[Record]:
    """The records of {"info": ..., "parts": [...]}."""
    info, parts = mapping(entry.get("info")), items(entry.get("parts"))
    role = string(info.get("role"))
    bad = [part for part in parts if isinstance(part, BadLine)]
    known = [part for part in parts if isinstance(part, dict)]
    yield from bad
    if role not in {"user", "assistant"}:
        if known or not bad:
            yield unknown_entry({**entry, "parts": known}, line, role)
    elif role == "user":
        yield from _user(info, known, line, progress)
    elif info.get("summary") is True:
        yield from _summary(info, known, line)
    else:
        yield from _assistant(info, known, line)


def prompt_text(parts: list[Any]) -> str:
    """The text that the user typed; a subtask is a command of the user that is only a prompt for a subagent."""
    texts = [string(part.get("prompt" if part.get("type") == "subtask" else "text")) for part in map(mapping, parts)
             if string(part.get("type")) in {"text", "subtask"} and not _is_of_program(part)]  # fmt: skip
    return "\n\n".join(text for text in texts if text and text.strip())


def _user(info: dict[str, Any], parts: list[dict[str, Any]], line: int, progress: Progress) -> Iterator[Record]:
    at = _created(info)
    for part in parts:
        if part.get("type") == "compaction":
            trigger = "auto" if part.get("auto") is True else "manual"
            yield BoundaryRecord(line, at, trigger, progress.tokens or None)
    text = "" if progress.is_repeated else prompt_text(parts)
    uuid = _uuid(info, parts)
    has_files = any(part.get("type") == "file" for part in parts) and not progress.is_repeated
    if text or has_files:
        message = messages.prompt(line, line, text, at, kind="agent" if progress.is_subagent else "human", uuid=uuid)
    else:
        message = messages.note(line, line, "", "meta", at, uuid=uuid)
    for part in parts:
        kind = string(part.get("type"))
        if kind == "text" and _is_of_program(part):
            messages.add_note(message, string(part.get("text")) or "", "reminder")
        elif kind == "file" and not progress.is_repeated:
            add_file(message, part)
        elif kind not in {"text", "subtask", "compaction", "file"} | _NOTHING_TO_READ:
            yield unknown_entry(part, line)
    if message.blocks:
        yield message


def _assistant(info: dict[str, Any], parts: list[dict[str, Any]], line: int) -> Iterator[Record]:
    message = messages.answer(
        line,
        line,
        _created(info),
        uuid=_uuid(info, parts),
        message_id=string(info.get("id")),
        model=model_of(info),
        usage=usage_of(info.get("tokens")),
    )
    for part in parts:
        kind = string(part.get("type"))
        text = string(part.get("text")) or ""
        if kind == "text" and _is_of_program(part):
            messages.add_note(message, text, "reminder")
        elif kind == "text":
            messages.add_text(message, text)
        elif kind == "reasoning":
            messages.add_thinking(message, text)
        elif kind == "tool":
            add_tool(message, part)
        elif kind == "file":
            add_file(message, part)
        elif kind == "retry":
            messages.add_note(message, error_text(part.get("error")), "error", is_error=True)
        elif kind not in {"compaction"} | _NOTHING_TO_READ:
            yield unknown_entry(part, line)
    _add_error(message, info)
    if message.blocks or message.usage is not None:
        yield message


def _summary(info: dict[str, Any], parts: list[dict[str, Any]], line: int) -> Iterator[Record]:
    """A summary that replaces the messages before, which the agent writes as an answer."""
    texts = [text for part in parts if part.get("type") == "text" and (text := string(part.get("text")))]
    text = "\n\n".join(text for text in texts if text.strip())
    at, uuid = _created(info), _uuid(info, parts)
    message = messages.prompt(line, line, text, at, kind="compaction", uuid=uuid)
    if not text:
        message = messages.note(line, line, "", "meta", at, uuid=uuid)
    message.model, message.message_id = model_of(info), string(info.get("id"))
    message.usage = usage_of(info.get("tokens"))
    _add_error(message, info)
    if message.blocks or message.usage is not None:
        yield message
    for part in parts:
        if string(part.get("type")) not in _KNOWN | _NOTHING_TO_READ:
            yield unknown_entry(part, line)


def _add_error(message: Message, info: dict[str, Any]) -> None:
    error = mapping(info.get("error"))
    label = "interrupt" if error.get("name") == _ABORTED else "error"
    messages.add_note(message, error_text(error), label, is_error=label == "error")


def _created(info: dict[str, Any]) -> Any:
    return moment(mapping(info.get("time")).get("created"))


def _is_of_program(part: dict[str, Any]) -> bool:
    return part.get("synthetic") is True or part.get("ignored") is True


def _uuid(info: dict[str, Any], parts: list[dict[str, Any]]) -> str | None:
    """The same for a message, for its copy in a fork, and for the message in an export before it was complete.

    A copy in a fork has other ids and the same time; a message that grows gets more parts, or more text.
    """
    if _created(info) is None:
        return string(info.get("id"))
    keys = ("text", "prompt", "callID", "url")
    return digest_of([info.get("role"), first_words(part.get(key) for part in parts for key in keys)])


def first_words(values: Iterable[Any]) -> str:
    """The beginning of the first text among values."""
    return next((value.strip()[:_FIRST_WORDS] for value in values if isinstance(value, str) and value.strip()), "")


def digest_of(content: Any) -> str:
    """The hash of a JSON value."""
    return hashlib.blake2b(orjson.dumps(content, default=str), digest_size=16).hexdigest()


@dataclass(slots=True)
class Progress:
    """The state of a session before its next message."""

    is_subagent: bool = False
    tokens: int = 0
    """The tokens of the context, as the last answer counted them."""
    is_repeated: bool = False
    """Whether the message repeats the prompt before a compaction that was too late for it."""
    prompt: str = ""
    """The last prompt."""
    overflowed: bool = False
    """Whether the last compaction was too late, so that the agent repeats the prompt after it."""
