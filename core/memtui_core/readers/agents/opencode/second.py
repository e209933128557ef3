"""Convert the messages of OpenCode 2, which have a type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Final

from memtui_core.readers.agents.opencode.first import Progress, digest_of, first_words
from memtui_core.readers.agents.opencode.tool_parts import add_file, add_tool
from memtui_core.readers.agents.opencode.values import error_text, model_of, moment, usage_of
from memtui_core.readers.conversion import messages
from memtui_core.readers.conversion.content import result_text, unknown_entry
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.records import BoundaryRecord, Record

_NOTHING_TO_READ: Final = frozenset({"agent-switched", "model-switched"})
_NOTES: Final = {"synthetic": "reminder", "system": "reminder", "skill": "reminder"}
Entry = dict[str, Any]


def records(entry: Entry, line: int, progress: Progress) -> Iterator[Record]:
    """The records of {"type": ..., ...}."""
    kind = string(entry.get("type"))
    if kind in _NOTHING_TO_READ:
        return
    if kind in _NOTES:
        text = string(entry.get("text")) or ""
        yield messages.note(line, line, text, _NOTES[kind], _created(entry), uuid=_uuid(entry))
        return
    convert = _CONVERTERS.get(kind or "")
    yield from convert(entry, line, progress) if convert else (unknown_entry(entry, line),)


def _user(entry: Entry, line: int, progress: Progress) -> Iterator[Record]:
    kind: Any = "agent" if progress.is_subagent else "human"
    text = string(entry.get("text")) or ""
    message = messages.prompt(line, line, text, _created(entry), kind=kind, uuid=_uuid(entry))
    for file in items(entry.get("files")):
        add_file(message, mapping(file))
    if message.blocks:
        yield message


def _assistant(entry: Entry, line: int, progress: Progress) -> Iterator[Record]:
    message = messages.answer(
        line,
        line,
        _created(entry),
        uuid=_uuid(entry),
        message_id=string(entry.get("id")),
        model=model_of(entry),
        usage=usage_of(entry.get("tokens")),
    )
    for part in map(mapping, items(entry.get("content"))):
        text = string(part.get("text")) or ""
        if part.get("type") == "text":
            messages.add_text(message, text)
        elif part.get("type") == "reasoning":
            messages.add_thinking(message, text)
        elif part.get("type") == "tool":
            add_tool(message, part)
        else:
            yield unknown_entry(part, line)
    messages.add_note(message, error_text(entry.get("error")), "error", is_error=True)
    if message.blocks or message.usage is not None:
        yield message


def _shell(entry: Entry, line: int, progress: Progress) -> Iterator[Record]:
    """A command that the user ran."""
    shell = mapping(entry.get("shell")) | entry
    output = entry.get("output")
    shown = string(mapping(output).get("output")) or result_text(output)
    text = "\n".join(part for part in (f"$ {string(shell.get('command')) or ''}", shown) if part)
    failed = isinstance(shell.get("exit"), int) and shell["exit"] != 0
    yield messages.note(line, line, text, "shell", _created(entry), is_error=failed, uuid=_uuid(entry))


def _compaction(entry: Entry, line: int, progress: Progress) -> Iterator[Record]:
    at = _created(entry)
    yield BoundaryRecord(line, at, string(entry.get("reason")), progress.tokens or None)
    text = string(entry.get("summary")) or ""
    if text.strip():
        yield messages.prompt(line, line, text, at, kind="compaction", uuid=_uuid(entry))


_CONVERTERS: Final[dict[str, Callable[[Entry, int, Progress], Iterator[Record]]]] = {
    "user": _user,
    "assistant": _assistant,
    "shell": _shell,
    "compaction": _compaction,
}


def _created(entry: Entry) -> Any:
    return moment(mapping(entry.get("time")).get("created"))


def _uuid(entry: Entry) -> str | None:
    if _created(entry) is None:
        return string(entry.get("id"))
    content = (mapping(part).get(key) for part in items(entry.get("content")) for key in ("text", "id"))
    own = (entry.get(key) for key in ("text", "summary", "command"))
    return digest_of([entry.get("type"), first_words(chain(own, content))])
