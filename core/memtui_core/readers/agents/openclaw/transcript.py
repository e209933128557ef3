"""Reading a session of OpenClaw from a file or from the database of its agent.

Learned from the sources of openclaw/openclaw at several commits: `src/config/sessions/artifacts.ts` (08495516),
`archive-compression.ts` (141a5b9c) and `paths.ts` (00358f66), `src/agents/sessions/session-manager.ts` (01b99d63),
`src/state/openclaw-agent-schema.sql` (b8a49978 and 0b03f834), `src/auto-reply/reply/strip-inbound-meta.ts` (03d0aef9)
and `inbound-context-marker.ts` (58fba191). That newer databases compress entries is known from other programs only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memtui_core.readers.agents.openclaw.database import load
from memtui_core.readers.agents.openclaw.entries import OpenClawEntries
from memtui_core.readers.agents.openclaw.file_names import STORE, copied_session, session_of
from memtui_core.readers.agents.openclaw.session_store import SessionStore
from memtui_core.readers.agents.pi.transcript import HEADER
from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.formats.beside import object_beside
from memtui_core.readers.formats.document import DocumentReading
from memtui_core.readers.formats.growing import GrowingReading
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import Record


class FileReading(GrowingReading):
    """One pass over a session in a file."""

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        super().__init__(transcript, cursor)
        store, is_copy = SessionStore(object_beside(self.path.with_name(STORE))), copied_session(self.path) != ""
        self._session = OpenClawEntries(self.facts, session_of(self.path), store, is_copy=is_copy)

    def has_state(self, raw: bytes) -> bool:
        """Whether it is the header of the session."""
        return HEADER.search(raw) is not None

    def head(self) -> Iterable[Record]:
        """The title."""
        return self._session.head()

    def follow(self, entry: Entry) -> None:
        """Update the facts from the header."""
        self._session.follow(entry)

    def identity(self, branch: str = "") -> Identity:
        """The session by its id."""
        return self._session.identity

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of an entry."""
        return self._session.records(entry, line, offset)


class RowsReading(DocumentReading):
    """One pass over a session in a database."""

    _session: OpenClawEntries

    def load(self) -> Sequence[Any]:
        """The entries of the session. Raises SourceUnreadable."""
        store, entries = load(self.transcript.path, self.transcript.part)
        self.facts.session_id = self.transcript.part
        self._session = OpenClawEntries(self.facts, self.transcript.part, store, is_copy=False)
        return entries

    def head(self) -> Iterable[Record]:
        """The title."""
        return self._session.head() if self.entries else ()

    def follow(self, entry: Any) -> None:
        """Update the facts from the header."""
        self._session.follow(entry)

    def identity(self, branch: str = "") -> Identity:
        """The session by its id."""
        return self._session.identity

    def records(self, entry: Any, line: int) -> Iterator[Record]:
        """The records of an entry."""
        return self._session.records(entry, line, line)
