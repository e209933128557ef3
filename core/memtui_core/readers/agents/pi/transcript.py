"""Convert a transcript of Pi or Oh My Pi to records, line by line.

The entries form a tree: going back in a session starts another branch. All branches are kept in file order, which is
the order in which the user saw them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.pi.entries import SessionEntries, titles_by
from memtui_core.readers.agents.pi.file_names import parent_in_path, project_folder, session_in_name, subagent_in_path
from memtui_core.readers.agents.pi.messages import subagent_session
from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.formats.growing import GrowingReading
from memtui_core.readers.formats.jsonl import Entry, LineReader, decode
from memtui_core.readers.records import Record

_TITLE: Final = b'{"type":"title"'
"""The start of the line with the title, which is padded with blanks and rewritten in place."""
HEADER: Final = re.compile(rb'"type"\s*:\s*"session')
"""What the lines contain on which later ones depend: the header of the session, or that of a subagent."""


class PiReading(GrowingReading):
    """One pass over a transcript of Pi or Oh My Pi."""

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        super().__init__(transcript, cursor)
        self._parent = parent_in_path(self.path)
        self._session = SessionEntries(
            self.facts, session_in_name(self.path), is_subagent=False, has_parent=self._parent != ""
        )

    def rewritten(self) -> int:
        """The length of the line with the title."""
        try:
            first = next(iter(LineReader(self.path)), None)
        except SourceUnreadable:
            return 0
        return len(first.raw) + 1 if first is not None and first.raw.startswith(_TITLE) else 0

    def head(self) -> Iterable[Record]:
        """The title, which may have changed since."""
        first = next(iter(LineReader(self.path)), None)
        if first is not None and first.raw.startswith(_TITLE):
            for entry in decode(first.raw)[0]:
                yield from titles_by(entry.get("source", entry.get("titleSource")), entry.get("title"), 0)

    def has_state(self, raw: bytes) -> bool:
        """Whether it is the header of the session, or that of a subagent."""
        return HEADER.search(raw) is not None

    def follow(self, entry: Entry) -> None:
        """Update the facts from the header."""
        self._session.follow(entry)

    def identity(self, branch: str = "") -> Identity:
        """The identity of the session; a subagent's file is in the folder of its parent."""
        parent = self._parent
        if parent:
            return Identity(subagent_session(parent, subagent_in_path(self.path)), parent, project_folder(self.path))
        return Identity(self._session.session_id or self.path.stem, None, project_folder(self.path))

    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of an entry."""
        return self._session.records(entry, line, offset)
