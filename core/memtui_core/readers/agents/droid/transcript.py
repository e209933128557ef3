"""Convert a transcript of Factory Droid to records, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memtui_core.readers.agents.droid.messages import assistant_message, user_message
from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import mapping, string, timestamp
from memtui_core.readers.conversion.messages import prompt, title_records
from memtui_core.readers.formats.beside import object_beside
from memtui_core.readers.formats.growing import GrowingReading
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import BoundaryRecord, Record, TitleRank

_START: Final = re.compile(rb'"type"\s*:\s*"session_start"')
_NO_TITLE: Final = "new session"
"""The title of a session that has none yet."""
_WITHOUT_TEXT: Final = frozenset({"agent_turn_outcome", "session_end", "session_settings", "todo_state"})
"""Entries about the state of the agent; the list of things to do is also in the calls that change it."""


class DroidReading(GrowingReading):
    """One pass over a transcript of Factory Droid."""

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        super().__init__(transcript, cursor)
        self._parent: str | None = None
        """The session that started this one."""
        self._model = self._model_of_settings()

    def has_state(self, raw: bytes) -> bool:
        """Whether it is the first entry."""
        return _START.search(raw) is not None

    def follow(self, entry: Entry) -> None:
        """Update the facts from the first entry."""
        if entry.get("type") != "session_start":
            return
        facts, cwd = self.facts, string(entry.get("cwd"))
        facts.session_id = facts.session_id or string(entry.get("id")) or string(entry.get("sessionId")) or ""
        self._parent = self._parent or string(entry.get("callingSessionId"))
        # In older files this is the number of the format.
        facts.version = string(entry.get("version")) or facts.version
        facts.enter(cwd)

    def identity(self, branch: str = "") -> Identity:
        """The identity of the session."""
        return Identity(self.facts.session_id or self.path.stem, self._parent, self.path.parent.name)

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of an entry."""
        kind, at, uuid = string(entry.get("type")), timestamp(entry.get("timestamp")), string(entry.get("id"))
        if kind == "session_start":
            title = string(entry.get("sessionTitle")) or string(entry.get("title")) or ""
            is_by_user = entry.get("isSessionTitleManuallySet") is True
            if is_by_user or title.strip().casefold() != _NO_TITLE:
                yield from title_records(title, TitleRank.CUSTOM if is_by_user else TitleRank.AI, line)
        elif kind == "message":
            # In exported files the role and the content are not in a message of their own.
            body = mapping(entry.get("message")) or entry
            role = string(body.get("role"))
            if role == "user":
                message = user_message(body, line, offset, at, uuid, self._parent is not None)
            elif role == "assistant":
                message = assistant_message(body, line, offset, at, uuid, self._model)
            else:
                yield unknown_entry(entry, line, role and f"message {role}")
                return
            if message is not None:
                yield message
        elif kind == "compaction_state":
            yield BoundaryRecord(line, at, None, None)
            if (summary := string(entry.get("summaryText"))) is not None:
                yield prompt(line, offset, summary, at, kind="compaction", uuid=uuid)
        elif kind not in _WITHOUT_TEXT:
            yield unknown_entry(entry, line)

    def _model_of_settings(self) -> str | None:
        """The model in the file beside the transcript; messages name theirs only in newer versions."""
        return string(object_beside(self.path.with_suffix(".settings.json")).get("model"))
