"""Rows on their way into the store: those of many small files in one transaction, those of a large one as they come.

All rows of a file become visible together, or none. A file that the index knows already changes rows in place and has a
transaction of its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from memtui_core.ingest.entry_keys import EntryKey, Owner
from memtui_core.ingest.project_files import ProjectFiles
from memtui_core.ingest.sessions import Sessions
from memtui_core.store.work_database import WorkDatabase

MOST_CHARACTERS: Final = 8_000_000
"""So much text waits in memory at most."""
MANY_FILES: Final = 20
MOST_ENTRIES: Final = 1_000_000
"""Entries that are known by heart at most, some 65 MB."""
LONGEST_WAIT: Final = 0.5
"""Seconds after which finished files are written, so that a stop loses little work."""


class Batch:
    """Holds what waits; `begin`, then `finish` or `abandon` for each file, `commit` at the end.

    `published` is the batch of the newest snapshot.
    """

    def __init__(self, work: WorkDatabase, published: int) -> None:
        self.work = work
        self.sessions = Sessions(work)
        self.project_files = ProjectFiles(work, published)
        self.characters = 0
        self._rows: dict[str, list[tuple[Any, ...]]] = {}
        self._drops: list[tuple[str, int]] = []
        """Tables and keys whose rows in the store go before those that wait are added."""
        self._entries: dict[EntryKey, Owner] = {}
        self._known: set[int] | None = None
        self._marks: dict[str, int] = {}
        """Rows of each table that waited when the file in hand began."""
        self._drops_before = 0
        self._before = 0
        """Entries that were held when it began."""
        self._own = False
        self._since = time.monotonic()
        self._next = {"turns": work.next_id("turns"), "sources": work.next_id("sources")}

    def next_id(self, table: str) -> int:
        """A key that no turn or source has yet."""
        self._next[table] += 1
        return self._next[table] - 1

    def begin(self, *, alone: bool) -> None:
        """A file begins; `alone` opens a transaction for it at once, because the store will be changed in place."""
        if alone:
            self.commit()
            self._open()
        elif not (self._rows or self._drops):
            self._since = time.monotonic()
        self._marks = {table: len(rows) for table, rows in self._rows.items()}
        self._drops_before = len(self._drops)
        self._before = len(self._entries)

    def put(self, table: str, *row: Any) -> None:
        """Add a row of a table."""
        self._rows.setdefault(table, []).append(row)

    def drop(self, table: str, key: int) -> None:
        """Take the rows of a key out of the store, before those that are put."""
        self._drops.append((table, key))

    def expect(self, files: int) -> None:
        """So many files come: for many it pays to know all entries by heart."""
        if self._known is None and files >= MANY_FILES:
            count = int(self.work.scalar("SELECT count(*) FROM blocks"))
            if count <= MOST_ENTRIES:
                rows = self.work.connection.execute("SELECT DISTINCT entry FROM blocks").fetchall()
                self._known = {entry for (entry,) in rows}

    def hold(self, key: EntryKey, source: int, session: int) -> None:
        """Remember who holds an entry that is not in the store yet."""
        self._entries.setdefault(key, Owner(source, session))
        if self._known is not None:
            self._known.add(key[0])
            if len(self._known) > MOST_ENTRIES:
                self._known = None

    def may_hold(self, keys: Iterable[EntryKey]) -> list[EntryKey]:
        """The entries that may have been seen before; certainly none but these."""
        known = self._known
        return list(keys) if known is None else [key for key in keys if key[0] in known]

    def waiting(self, key: EntryKey) -> Owner | None:
        """Who holds an entry that is not in the store yet."""
        return self._entries.get(key)

    def spill(self) -> None:
        """Write what the file in hand has so far, when that is much: it must not all stay in memory."""
        if self.characters < MOST_CHARACTERS:
            return
        if not self._own:
            self.write_finished()
            self._open()
        self._write(self._drops, self._rows)
        self.characters = 0
        self._marks, self._drops_before = {}, 0

    def finish(self) -> None:
        """The file in hand is complete."""
        self._marks = {}
        if self._own or self.characters > MOST_CHARACTERS or time.monotonic() - self._since > LONGEST_WAIT:
            self.commit()

    def abandon(self) -> None:
        """Forget all of the file in hand."""
        if self._own:
            self.work.roll_back()
            self._own = False
            self._rows.clear()
            self._drops.clear()
        del self._drops[self._drops_before :]
        for table, rows in self._rows.items():
            del rows[self._marks.get(table, 0) :]
        self._entries = dict(islice(self._entries.items(), self._before))
        self._marks = {}

    def write_finished(self) -> None:
        """Commit the files before the one in hand, whose rows go on waiting."""
        if self._own:
            return
        finished = {table: rows[: self._marks.get(table, 0)] for table, rows in self._rows.items()}
        current = {table: rows[self._marks.get(table, 0) :] for table, rows in self._rows.items()}
        drops, waiting = self._drops[: self._drops_before], self._drops[self._drops_before :]
        with self.work.transaction():
            self.sessions.write()
            self._write(drops, finished)
        self._rows, self._marks = current, {}
        self._drops, self._drops_before = waiting, 0
        # What is in the store may leave it again: only the store can say who holds it.
        self._entries = dict(islice(self._entries.items(), self._before, None))
        self._before = 0

    def commit(self) -> None:
        """Commit all that waits."""
        if self._own:
            self.sessions.write()
            self._write(self._drops, self._rows)
            self.work.commit()
            self._own = False
        elif self._rows or self._drops:
            with self.work.transaction():
                self.sessions.write()
                self._write(self._drops, self._rows)
        self._entries.clear()
        self.characters = 0
        self._since = time.monotonic()

    def _open(self) -> None:
        self.work.begin()
        self._own = True

    def _write(self, drops: list[tuple[str, int]], rows: dict[str, list[tuple[Any, ...]]]) -> None:
        for table in dict.fromkeys(table for table, _ in drops):
            self.work.drop(table, {key for name, key in drops if name == table})
        for table, waiting in rows.items():
            self.work.put(table, waiting)
        drops.clear()
        rows.clear()
