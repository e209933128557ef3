"""Convert a transcript of Qwen Code to records, line by line."""

from __future__ import annotations

from collections.abc import Iterator

from memtui_core.readers.agents.qwen.file_names import is_session_file, parent_of, project_folder
from memtui_core.readers.agents.qwen.messages import assistant_records, result_records, user_records
from memtui_core.readers.agents.qwen.system import WITHOUT_TEXT, system_records
from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.conversion.content import unknown_entry
from memtui_core.readers.conversion.json_values import mapping, string
from memtui_core.readers.formats.growing import GrowingReading
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import Record


class QwenReading(GrowingReading):
    """One pass over a transcript of Qwen Code."""

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        super().__init__(transcript, cursor)
        self._parent = parent_of(self.path)
        self._spawned_by: str | None = None
        """The session that created this one as a session of its own."""

    def follow(self, entry: Entry) -> None:
        """Update the metadata, which almost every entry has."""
        self.facts.follow(entry)
        if entry.get("subtype") == "parent_session":
            self._spawned_by = string(mapping(entry.get("systemPayload")).get("parentSessionId"))

    def has_state(self, raw: bytes) -> bool:
        """The entry with the session that created this one, and the first entries."""
        return b'"parent_session"' in raw or not self.facts.session_id

    def identity(self, branch: str = "") -> Identity:
        """The session by the name of its file, which its entries can contradict; a copy elsewhere by its entries."""
        folder = project_folder(self.path)
        own = is_session_file(self.path) or not self.facts.session_id
        session_id = self.path.stem if own else self.facts.session_id
        return Identity(session_id, self._parent or self._spawned_by, folder.name if folder is not None else "")

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of an entry."""
        kind, subtype = string(entry.get("type")), string(entry.get("subtype"))
        if kind == "user":
            yield from user_records(entry, line, offset, is_subagent=self._parent is not None)
        elif kind == "assistant":
            yield from assistant_records(entry, line, offset)
        elif kind == "tool_result":
            yield from result_records(entry, line, offset)
        elif kind == "system" and subtype not in WITHOUT_TEXT:
            yield from system_records(entry, line, offset, subtype or "")
        elif kind != "system" and self.facts.session_id:
            yield unknown_entry(entry, line)
