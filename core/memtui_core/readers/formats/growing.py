"""Reading a JSON lines transcript that an agent appends to, for agents whose entries refer to entries before them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import takewhile

from memtui_core.readers.base import Cursor, Identity, Transcript
from memtui_core.readers.conversion.unknown_notes import UnknownNotes
from memtui_core.readers.formats.jsonl import Entry, JsonlEntries, LineReader, decode
from memtui_core.readers.records import BadLine, Message, Record, SessionFacts


class GrowingReading(ABC):
    """One pass over a JSON lines file that only grows.

    An agent's reading converts entries in `records`, and collects in `follow` what later entries depend on: the working
    directory of the first line, the model of the turn. When reading continues at a cursor, the lines before it for
    which `has_state` returns True are passed to `follow` first.
    """

    def __init__(self, transcript: Transcript, cursor: Cursor) -> None:
        self.path = transcript.path
        self.facts = SessionFacts()
        self._entries = JsonlEntries(transcript, cursor, self.skips, self.rewritten())
        self.from_start = self._entries.from_start
        self._before = self._entries.start.position
        """The number of bytes before the first line read."""
        self._unknown = UnknownNotes()

    @abstractmethod
    def records(self, entry: Entry, line: int, offset: int) -> Iterator[Record]:
        """The records of an entry, after `follow` was called with it."""

    def identity(self, branch: str = "") -> Identity:
        """The session by its id, if the agent has neither subagents nor branches."""
        return Identity(self.facts.session_id)

    def follow(self, entry: Entry) -> None:  # noqa: B027 (some agents need none)
        """Update the state that later entries depend on."""

    def restore(self, end: int) -> None:
        """Restore the state as of an offset, at which reading continues."""
        for line in takewhile(lambda line: line.offset < end, LineReader(self.path)):
            if self.has_state(line.raw):
                for entry in decode(line.raw)[0]:
                    self.follow(entry)

    def has_state(self, raw: bytes) -> bool:
        """Whether a line, which is not decoded yet, may change the state."""
        return False

    def rewritten(self) -> int:
        """The number of bytes at the start of the file that the agent rewrites in place."""
        return 0

    def head(self) -> Iterable[Record]:
        """Records that do not depend on an entry, such as a title in another file; yielded by every pass."""
        return ()

    def skips(self, raw: bytes) -> bool:
        """Whether a line contains nothing for any reader, determined without decoding it."""
        return False

    @property
    def lines(self) -> int:
        """The number of lines so far, an incomplete one included."""
        return self._entries.lines

    @property
    def waiting(self) -> bool:
        """Whether the last line is incomplete and was not read."""
        return self._entries.waiting

    @property
    def can_continue(self) -> bool:
        """Whether no line read can still grow."""
        return self._entries.can_continue

    @property
    def has_more(self) -> bool:
        """Whether reading ended at `Transcript.until`, before the end of the file."""
        return self._entries.has_more

    def cursor(self, first: Message | None) -> Cursor:
        """The cursor at a message; for None, the cursor at the end."""
        return self._entries.cursor(first)

    def resume(self, transcript: Transcript) -> bool:
        """Continue with appended lines."""
        return self._entries.resume(transcript)

    def __iter__(self) -> Iterator[Record]:
        if self._before:
            self.restore(self._before)
            self._before = 0
        yield from self.head()
        for item in self._entries:
            if isinstance(item, BadLine):
                yield item
            else:
                entry, line = item
                self.follow(entry)
                records = self.records(entry, line.number, line.offset)
                yield from self._unknown.added(records, line.offset, self.facts.session_id)
