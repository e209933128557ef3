"""Convert a transcript of Cursor to records, line by line.

Its entries have no ids, no times but those in prompts, and mostly no results: a result is paired with the first call
that waits for one.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from memtui_core.readers.agents.cursor.editor import is_in_editor
from memtui_core.readers.agents.cursor.file_names import chat_about, parent_of, project_name, settings_folder, title_in
from memtui_core.readers.agents.cursor.user_text import split
from memtui_core.readers.base import START, Cursor, Identity, Transcript
from memtui_core.readers.conversion.anthropic_parts import add_media
from memtui_core.readers.conversion.content import result_text, unknown_entry
from memtui_core.readers.conversion.json_values import items, mapping, string, timestamp
from memtui_core.readers.conversion.messages import (
    add_agent_call,
    add_call,
    add_result,
    add_text,
    add_thinking,
    answer,
    prompt,
    title_records,
    with_notes,
)
from memtui_core.readers.formats.growing import GrowingReading
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import Message, Record, TitleRank, UnknownEntry

_WITHOUT_TEXT: Final = frozenset({"turn_ended", "turn_started", "status"})
_CALLS: Final = frozenset({"tool_use", "tool_call", "tool-call"})
_RESULTS: Final = frozenset({"tool_result", "tool-result"})
_SUBAGENT_TOOLS: Final = frozenset({"task", "agent", "subagent", "task_v2"})


class TranscriptReading(GrowingReading):
    """One pass over a transcript of Cursor. A chat that the editor's database has is read only there."""

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        self._settings = settings_folder(transcript.path)
        self._in_editor = is_in_editor(self._settings, transcript.path.stem)
        super().__init__(transcript, START if self._in_editor else cursor)
        self._parent = parent_of(self.path)
        self._about = chat_about(self._settings, self._parent or self.path.stem)
        self.facts.session_id = self.path.stem
        self.facts.enter(self._about.get("cwd"))
        self._calls = 0
        """The number of calls so far."""
        self._open: dict[str, str] = {}
        """The calls that wait for a result: their ids, each with the name of its tool."""
        self._ids: list[str | None] = []
        """The ids of the calls and results of the entry, in order."""
        self._at: datetime | None = None
        """The time of the last prompt that has one."""

    def has_state(self, raw: bytes) -> bool:
        """Every line: calls are counted."""
        return True

    def resume(self, transcript: Transcript) -> bool:
        """Continue with appended lines, unless the editor has the chat by now."""
        return self._in_editor == is_in_editor(self._settings, self.path.stem) and super().resume(transcript)

    def identity(self, branch: str = "") -> Identity:
        """The chat by the name of its file."""
        return Identity(self.path.stem, self._parent, project_name(self.path))

    def follow(self, entry: Entry) -> None:
        """Give an id to each call without one, and to each result the id of its call."""
        self._ids = []
        for part in _parts(entry):
            kind = string(part.get("type"))
            if kind in _CALLS:
                self._calls += 1
                call_id = string(part.get("id")) or string(part.get("toolCallId")) or f"call-{self._calls}"
                self._open[call_id] = _name_of(part)
                self._ids.append(call_id)
            elif kind in _RESULTS:
                self._ids.append(self._call_of(part))
            elif kind == "text" and _role(entry) == "user":
                self._at = split(string(part.get("text")) or "").at or self._at
        self._at = timestamp(entry.get("timestamp")) or self._at

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of an entry."""
        if self._in_editor:
            return
        if line == 0:
            yield from title_records(title_in(self._about), TitleRank.AI)
        role = _role(entry)
        if role == "user":
            yield from self._user_records(entry, line, offset)
        elif role == "assistant":
            yield from self._assistant_records(entry, line, offset)
        elif (string(entry.get("type")) or string(entry.get("event"))) not in _WITHOUT_TEXT:
            yield unknown_entry(entry, line)

    def _user_records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        parts = list(_parts(entry))
        texts = [split(string(part.get("text")) or "") for part in parts if part.get("type") == "text"]
        typed = "\n\n".join(text.typed for text in texts if text.typed)
        message = prompt(line, offset, typed, self._at, kind="human" if self._parent is None else "agent")
        ids = iter(self._ids)
        for part in parts:
            if string(part.get("type")) in _RESULTS:
                text = result_text(part.get("content", part.get("result")))
                add_result(message, text, next(ids), is_error=part.get("is_error") is True)
            elif part.get("type") in ("image", "document"):
                add_media(message, part)
        if not typed and any(block.kind == "tool_result" for block in message.blocks):
            message.kind = "results"
        yield from with_notes(message, [(text.added, "reminder") for text in texts])

    def _assistant_records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        message = answer(line, offset, self._at, model=string(entry.get("model")))
        ids = iter(self._ids)
        unknown: list[UnknownEntry] = []
        for part in _parts(entry):
            kind = string(part.get("type"))
            if kind == "text":
                add_text(message, string(part.get("text")) or "")
            elif kind in ("thinking", "reasoning"):
                add_thinking(message, string(part.get("thinking")) or string(part.get("text")) or "")
            elif kind in _CALLS:
                _add_call(message, part, next(ids))
            elif kind in _RESULTS:
                add_result(message, result_text(part.get("content", part.get("result"))), next(ids))
            elif kind in ("image", "document"):
                add_media(message, part)
            elif kind != "redacted-reasoning":
                unknown.append(unknown_entry(part, line))
        if message.blocks:
            yield message
        yield from unknown

    def _call_of(self, part: dict[str, Any]) -> str | None:
        """The id of the call to which a result belongs."""
        result_id, name = string(part.get("tool_use_id")) or string(part.get("toolCallId")), _name_of(part)
        if result_id is None or result_id not in self._open:
            waiting = [call_id for call_id, tool in self._open.items() if not name or tool == name]
            if not waiting:
                return result_id
            result_id = waiting[0]
        del self._open[result_id]
        return result_id


def _role(entry: Entry) -> str | None:
    return string(entry.get("role")) or string(mapping(entry.get("message")).get("role"))


def _parts(entry: Entry) -> Iterator[dict[str, Any]]:
    content = mapping(entry.get("message")).get("content")
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    yield from (part for part in items(content) if isinstance(part, dict))


def _name_of(part: dict[str, Any]) -> str:
    return string(part.get("name")) or string(part.get("toolName")) or ""


def _add_call(message: Message, part: dict[str, Any], call_id: str | None) -> None:
    name, arguments = _name_of(part), part.get("input", part.get("args"))
    add_call(message, name, arguments, call_id)
    if name.lower() in _SUBAGENT_TOOLS and call_id:
        given = mapping(arguments)
        add_agent_call(message, call_id, {"subagent_type": given.get("subagentType"), **given})
