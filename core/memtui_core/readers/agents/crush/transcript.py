"""Reading a session of Crush from the database of its project."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.agents.crush import messages
from memtui_core.readers.base import Identity, Transcript
from memtui_core.readers.conversion.json_values import count, epoch_seconds, from_json, string
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.document import DocumentReading
from memtui_core.readers.formats.session_tally import SessionTally
from memtui_core.readers.formats.sqlite import opened, values_of
from memtui_core.readers.records import BadLine, Record, TitleRank

_NO_TITLES: Final = frozenset({"New Session", "Untitled Session", "Generate a title", "New Agent Session"})
_TIMES: Final = ("updated_at", "created_at")


def sessions_in(connection: sqlite3.Connection, agent: str, path: Path) -> Iterator[Transcript]:
    """The sessions of a database; times are in seconds, although its schema says milliseconds."""
    tally = SessionTally(connection, epoch_seconds)
    tally.sessions("sessions", _TIMES)
    tally.messages("messages", _TIMES)
    return tally.transcripts(agent, path)


class CrushReading(DocumentReading):
    """One pass over a session; an entry is a row of a message with its parts."""

    def load(self) -> Sequence[Any]:
        """The messages of the session; the last answer has the tokens of the session."""
        self._about: dict[str, Any] = {}
        entries: list[Any] = []
        with opened(self.transcript.path) as connection:
            for row in connection.execute("SELECT * FROM sessions WHERE id = ?", [self.transcript.part]):
                self._about = values_of(row)
            sql = "SELECT * FROM messages WHERE session_id = ? ORDER BY created_at, rowid"
            for row in connection.execute(sql, [self.transcript.part]):
                entries.append(_entry(values_of(row), len(entries)))
        self.facts.session_id = self.transcript.part
        folder = self.transcript.path.parent
        self.facts.enter(folder.parent.as_posix() if folder.name == ".crush" else "")
        answers = [entry for entry in entries if isinstance(entry, dict) and entry.get("role") == "assistant"]
        if answers:
            answers[-1]["total"] = [count(self._about.get(f"{name}_tokens")) for name in ("prompt", "completion")]
        return entries

    def identity(self, branch: str = "") -> Identity:
        """The session."""
        return Identity(self.facts.session_id, string(self._about.get("parent_session_id")))

    def head(self) -> Iterable[Record]:
        """The title, unless the agent has not chosen one yet."""
        title = string(self._about.get("title")) or ""
        return title_records(title, TitleRank.AI) if self.entries and title not in _NO_TITLES else ()

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of a message."""
        at = epoch_seconds(entry.get("created_at"))
        return messages.records(entry, line, at, is_subagent=self.identity().parent_id is not None)


def _entry(row: dict[str, Any], line: int) -> dict[str, Any] | BadLine:
    value = from_json(row.get("parts"))
    if not isinstance(value, list):
        return BadLine(line, "a message is not a list of parts")
    return {
        **{name: row.get(name) for name in ("id", "role", "created_at", "model", "is_summary_message")},
        "parts": value,
    }
