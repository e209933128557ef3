"""Collect rows for the work database: many small sources share a transaction, a large one is written in parts.

The rows of a source become visible together or not at all. A source that is already in the index changes existing rows
and has a transaction of its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from memtui_core.ingest.entry_keys import EntryKey, Owner, microseconds
from memtui_core.ingest.known_entries import SELECT, KnownEntries
from memtui_core.ingest.project_files import ProjectFiles
from memtui_core.ingest.sessions import SessionRow, Sessions
from memtui_core.store.columns import Columns

if TYPE_CHECKING:
    from memtui_core.store.work_database import WorkDatabase

MOST_CHARACTERS: Final = 8_000_000
"""The most characters of text in memory."""
MANY_SOURCES: Final = 20
"""From this many sources on, all entries of the index are loaded into memory."""
MOST_ENTRIES: Final = 5_000_000
"""The most entries in memory, 80 MB."""
LONGEST_WAIT: Final = 2.0
"""Seconds after which finished sources are written, so that a process that dies loses little work."""


class Batch:
    """The rows that are not written yet. Call `begin`, then `finish` or `abandon` for each source, `commit` at the end.

    `published` is the batch of the newest snapshot.
    """

    def __init__(self, work: WorkDatabase, published: int) -> None:
        self.work = work
        self.sessions = Sessions(work)
        self.project_files = ProjectFiles(work, published)
        self.characters = 0
        self._rows: dict[str, Columns] = {}
        self._drops: list[tuple[str, int]] = []
        """Tables and keys of rows to delete before the new rows are added."""
        self._entries: dict[EntryKey, Owner] = {}
        self._known: KnownEntries | None = None
        """The owners of all entries of the index and the batch; None if they are not in memory."""
        self._current: int | None = None
        """The source whose entries were added last."""
        self._rows_before: dict[str, int] = {}
        """The number of rows of each table before the current source."""
        self._drops_before = 0
        self._entries_before = 0
        self._in_transaction = False
        """Whether the current source has a transaction of its own."""
        self._since = time.monotonic()
        self._next_ids = {"turns": self.sessions.last_turn + 1}
        """The next unused ids; that of sources as soon as there is a new one."""

    @property
    def number(self) -> int:
        """The number of the batch."""
        return self.work.batch

    def reload(self) -> None:
        """Forget what is in memory of the index, because sessions were removed from it."""
        self.sessions.load()
        self._known = None

    def fork(self, session: SessionRow, origin: int, until: datetime | None) -> None:
        """Record that the first entries of a session belong to another one, up to a time."""
        if origin != session.key:
            session.forked_from = self.sessions[origin].session_id
            if until is not None:
                self.drop("forks", session.key)
                self.put("forks", session.key, microseconds(until))

    def end_fork(self, session: SessionRow) -> None:
        """Record that the entries of a session belong to no other one."""
        session.forked_from = None
        self.drop_existing("forks", session.key)

    def next_id(self, table: str) -> int:
        """The next unused id of a turn or source."""
        return self.reserve_ids(table, 1)

    def reserve_ids(self, table: str, count: int) -> int:
        """The first of the next unused ids of turns or sources."""
        first = self._next_ids.get(table) or self.work.next_id(table)
        self._next_ids[table] = first + count
        return first

    def begin(self, *, alone: bool) -> None:
        """Start a source; with `alone` it gets a transaction of its own, because existing rows will be changed."""
        if alone:
            self.commit()
            self._begin_transaction()
        elif not (self._rows or self._drops):
            self._since = time.monotonic()
        self.sessions.begin()
        self._rows_before = {table: len(rows) for table, rows in self._rows.items()}
        self._drops_before = len(self._drops)
        self._entries_before = len(self._entries)
        self._current = None

    def put(self, table: str, *row: Any) -> None:
        """Add a row of a table."""
        self._rows.setdefault(table, Columns()).append(row)

    def put_all(self, table: str, rows: Columns) -> None:
        """Add rows of a table."""
        self._rows.setdefault(table, Columns()).extend(rows)

    def drop(self, table: str, key: int) -> None:
        """Delete the rows of a key from the work database, before the new rows are added."""
        self._drops.append((table, key))

    def drop_existing(self, table: str, key: int) -> None:
        """Delete the rows of a key if the work database has any."""
        if self.work.has_key(table, key):
            self.drop(table, key)

    def expect(self, sources: int) -> None:
        """Announce the number of sources to read: for many, all entries of the index are loaded into memory."""
        if self._known is None and sources >= MANY_SOURCES:
            count = int(self.work.scalar("SELECT count(*) FROM blocks"))
            if count <= MOST_ENTRIES:
                stored = self.work.connection.execute(SELECT).fetchnumpy() if count else {}
                self._known = KnownEntries(stored.get("entry"), stored.get("owner"))
                for key, owner in self._entries.items():
                    self._known.add((key,), owner)

    def add_entries(self, keys: Iterable[EntryKey], source: int, session: int) -> None:
        """Record the owner of entries that are not in the work database yet."""
        owner, keys = Owner(source, session), list(keys)
        self._current = source
        for key in keys:
            self._entries.setdefault(key, owner)
        if self._known is not None:
            self._known.add(keys, owner)
            if len(self._known) > MOST_ENTRIES:
                self._known = None

    def add_entry(self, key: EntryKey, source: int, session: int) -> None:
        """Record the owner of an entry that is not in the work database yet."""
        self.add_entries((key,), source, session)

    def doubt(self, source: int) -> None:
        """Record that entries of a source may have been removed, so that it does not own all of them any more."""
        if self._known is not None:
            self._known.doubt(source)

    def owners_in_memory(self, keys: Iterable[EntryKey], source: int) -> tuple[dict[EntryKey, Owner], list[EntryKey]]:
        """The owners of some entries as far as they are in memory, and the entries whose owner must be looked up.

        Entries of `source` itself are left out.
        """
        keys = list(keys)
        if self._known is None:
            return {key: self._entries[key] for key in keys if key in self._entries}, keys
        found = {key: owner for key, owner in self._known.owners(keys).items() if owner.source != source}
        certain = {key: owner for key, owner in found.items() if self._known.is_certain(owner)}
        return certain, [key for key in found if key not in certain]

    def flush_large(self) -> None:
        """Write the rows of the current source so far if they are too many to keep in memory."""
        if self.characters < MOST_CHARACTERS:
            return
        if not self._in_transaction:
            self.write_finished()
            self._begin_transaction()
        self._write(self._drops, self._rows)
        self.characters = 0
        self._rows_before, self._drops_before = {}, 0

    def finish(self) -> None:
        """Finish the current source."""
        self._rows_before = {}
        if self._in_transaction or self.characters > MOST_CHARACTERS or time.monotonic() - self._since > LONGEST_WAIT:
            self.commit()

    def abandon(self) -> None:
        """Discard the changes of the current source."""
        self.sessions.abandon()
        if self._in_transaction:
            self.work.roll_back()
            self._in_transaction = False
            self._rows.clear()
            self._drops.clear()
        del self._drops[self._drops_before :]
        for table, rows in self._rows.items():
            rows.truncate(self._rows_before.get(table, 0))
        self._entries = dict(islice(self._entries.items(), self._entries_before))
        if self._current is not None:
            self.doubt(self._current)
        self._rows_before = {}

    def write_finished(self) -> None:
        """Commit the rows of finished sources, but not those of the current one."""
        if self._in_transaction:
            return
        finished = {table: rows.part(0, self._rows_before.get(table, 0)) for table, rows in self._rows.items()}
        current = {table: rows.part(self._rows_before.get(table, 0)) for table, rows in self._rows.items()}
        drops, current_drops = self._drops[: self._drops_before], self._drops[self._drops_before :]
        with self.work.transaction():
            self.sessions.write()
            self._write(drops, finished)
        self._rows, self._rows_before = current, {}
        self._drops, self._drops_before = current_drops, 0
        # Stored entries may be removed again, so from now on their owner is looked up in the work database.
        self._entries = dict(islice(self._entries.items(), self._entries_before, None))
        self._entries_before = 0

    def commit(self) -> None:
        """Commit all rows."""
        if self._in_transaction:
            self.sessions.write()
            self._write(self._drops, self._rows)
            self.work.commit()
            self._in_transaction = False
        elif self._rows or self._drops:
            with self.work.transaction():
                self.sessions.write()
                self._write(self._drops, self._rows)
        self._entries.clear()
        self.characters = 0
        self._since = time.monotonic()

    def _begin_transaction(self) -> None:
        self.work.begin()
        self._in_transaction = True

    def _write(self, drops: list[tuple[str, int]], rows: dict[str, Columns]) -> None:
        for table in dict.fromkeys(table for table, _ in drops):
            self.work.drop(table, {key for name, key in drops if name == table})
        for table, new_rows in rows.items():
            self.work.put(table, new_rows)
        drops.clear()
        rows.clear()
