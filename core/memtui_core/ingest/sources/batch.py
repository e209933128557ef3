"""The rows that are collected for the work database, and written in transactions.

Many small sources share a transaction, and a large one is written in parts within its own. The rows of a source become
visible together or not at all. A source that is already in the index changes rows, so it has its own transaction.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from memtui_core.ingest.sources.entries import SELECT, EntryKey, KnownEntries, Owner, microseconds
from memtui_core.ingest.turns.project_files import ProjectFiles
from memtui_core.ingest.turns.sessions import IndexedSessions, SessionRow
from memtui_core.readers.base import Identity
from memtui_core.store.marks.tombstones import ForgetLog
from memtui_core.store.tables import COLUMNS, TableRows

if TYPE_CHECKING:
    from memtui_core.store.work.database import WorkDatabase

MOST_CHARACTERS: Final = 8_000_000
"""The most characters of text in memory before rows are written."""
MANY_SOURCES: Final = 20
"""If so many sources are to be read, the owners of all entries of the index are loaded into memory."""
MOST_ENTRIES: Final = 5_000_000
"""The most entries whose owners are in memory: 80 MB."""
_LEAF: Final = list(COLUMNS["titles"]).index("leaf")
LONGEST_WAIT: Final = 2.0
"""Seconds after which finished sources are written, so that a process that dies loses little work."""


class Batch:
    """Rows that are not written yet. Call `begin`, then `finish` or `abandon` for each source, and `commit` at the end.

    `published` is the batch of the newest snapshot.
    """

    def __init__(self, work: WorkDatabase, published: int) -> None:
        self.work = work
        self.sessions = IndexedSessions(work)
        self.project_files = ProjectFiles(work, published)
        self._forget_log = ForgetLog(work.data)
        self._tombstones = self._forget_log.tombstones()
        self.characters = 0
        self.named_origins: dict[tuple[str, str], str | None] = {}
        """By agent and session: the one that its transcripts name as the one that it repeats, see `named_origin`."""
        self._rows: dict[str, TableRows] = {}
        self._drops: list[tuple[str, int]] = []
        """Tables and keys: these rows are deleted before the new rows are added."""
        self._entries: dict[EntryKey, Owner] = {}
        self._known: KnownEntries | None = None
        """The owners of all entries of the index and the batch; None if they are not in memory."""
        self._current: int | None = None
        """The source whose entries were added last."""
        self._rows_before_source: dict[str, int] = {}
        """The number of rows of each table before the current source."""
        self._drops_before_source = 0
        self._entries_before_source = 0
        self._in_transaction = False
        """Whether the current source has a transaction of its own."""
        self._waiting_since = time.monotonic()
        self._next_ids = {"turns": self.sessions.last_turn + 1}
        """The next unused ids by table; that of sources is looked up with the first new source."""

    @property
    def number(self) -> int:
        """The number of the batch."""
        return self.work.batch

    def reload(self) -> None:
        """Read the sessions of the index again, because some were removed from it or inserted into it."""
        self.sessions.load()
        self._known = None
        # Ids of removed rows are not used again.
        self._next_ids = {table: max(number, self.work.next_id(table)) for table, number in self._next_ids.items()}
        self._tombstones = self._forget_log.tombstones()

    def is_forgotten(self, agent: str, identity: Identity) -> bool:
        """Whether the user has forgotten a session, or the one that started it."""
        return self._tombstones.forgets(agent, identity.session_id, identity.parent_id)

    def forgets(self, agent: str, session_id: str, parent_id: str | None) -> bool:
        """The same of a session by its agent, its id and the id of the one that started it."""
        return self._tombstones.forgets(agent, session_id, parent_id)

    def forgotten_among(self, keys: Collection[EntryKey]) -> set[EntryKey]:
        """Those of some entries that belong to forgotten sessions."""
        return self._tombstones.entries_among(keys)

    def add_named_origin(self, agent: str, session_id: str, origin: str | None) -> None:
        """Record the session that a transcript of a session names as the one that it repeats, if it names any."""
        if origin is not None:
            self.named_origins[agent, session_id] = origin
        else:
            # Another transcript of the session may name it.
            self.named_origins.setdefault((agent, session_id), None)

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

    def begin(self, *, own_transaction: bool) -> None:
        """Start a source; `own_transaction` is needed if existing rows will be changed."""
        if own_transaction:
            self.commit()
            self._begin_transaction()
        elif not (self._rows or self._drops):
            self._waiting_since = time.monotonic()
        self.sessions.begin()
        self._rows_before_source = {table: len(rows) for table, rows in self._rows.items()}
        self._drops_before_source = len(self._drops)
        self._entries_before_source = len(self._entries)
        self._current = None

    def put(self, table: str, *row: Any) -> None:
        """Add a row of a table, but not the title of a forgotten session."""
        if table != "titles" or not self._tombstones.has_entry(row[_LEAF]):
            self._rows.setdefault(table, TableRows()).append(row)

    def put_all(self, table: str, rows: TableRows) -> None:
        """Add rows of a table, as `put` does."""
        if table == "titles" and self._tombstones:
            rows = TableRows.of(row for row in rows.rows() if not self._tombstones.has_entry(row[_LEAF]))
        self._rows.setdefault(table, TableRows()).extend(rows)

    def drop(self, table: str, key: int) -> None:
        """Delete the rows of a key from the work database, before the new rows are added."""
        self._drops.append((table, key))

    def drop_existing(self, table: str, key: int) -> None:
        """Delete the rows of a key if the work database has any."""
        if self.work.has_key(table, key):
            self.drop(table, key)

    def expect_sources(self, sources: int) -> None:
        """Say how many sources will be read: for many, the owners of all entries are loaded into memory."""
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

    def mark_uncertain(self, source: int) -> None:
        """Record that entries of a source may have been removed, so that it may not own all that it is said to own."""
        if self._known is not None:
            self._known.mark_uncertain(source)

    def owners_in_memory(self, keys: Iterable[EntryKey], source: int) -> tuple[dict[EntryKey, Owner], list[EntryKey]]:
        """The owners of entries as far as they are known in memory, and the entries whose owner must be looked up.

        Entries of `source` itself are left out.
        """
        keys = list(keys)
        if self._known is None:
            return {key: self._entries[key] for key in keys if key in self._entries}, keys
        found = {key: owner for key, owner in self._known.owners(keys).items() if owner.source != source}
        certain = {key: owner for key, owner in found.items() if self._known.is_certain(owner)}
        return certain, [key for key in found if key not in certain]

    def flush_large(self) -> None:
        """Write the rows of the current source now if they are too many to keep in memory."""
        if self.characters < MOST_CHARACTERS:
            return
        if not self._in_transaction:
            self.write_finished()
            self._begin_transaction()
        self._write(self._drops, self._rows)
        self.characters = 0
        self._rows_before_source, self._drops_before_source = {}, 0

    def finish(self) -> None:
        """Finish the current source."""
        self._rows_before_source = {}
        if (
            self._in_transaction
            or self.characters > MOST_CHARACTERS
            or time.monotonic() - self._waiting_since > LONGEST_WAIT
        ):
            self.commit()

    def abandon(self) -> None:
        """Discard the changes of the current source."""
        self.sessions.abandon()
        if self._in_transaction:
            self.work.roll_back()
            self._in_transaction = False
            self._rows.clear()
            self._drops.clear()
        del self._drops[self._drops_before_source :]
        for table, rows in self._rows.items():
            rows.truncate(self._rows_before_source.get(table, 0))
        self._entries = dict(islice(self._entries.items(), self._entries_before_source))
        if self._current is not None:
            self.mark_uncertain(self._current)
        self._rows_before_source = {}

    def write_finished(self) -> None:
        """Commit the rows of finished sources, but not those of the current one."""
        if self._in_transaction:
            return
        finished = {table: rows.part(0, self._rows_before_source.get(table, 0)) for table, rows in self._rows.items()}
        current = {table: rows.part(self._rows_before_source.get(table, 0)) for table, rows in self._rows.items()}
        drops, current_drops = self._drops[: self._drops_before_source], self._drops[self._drops_before_source :]
        with self.work.transaction():
            self.sessions.write()
            self._write(drops, finished)
        self._rows, self._rows_before_source = current, {}
        self._drops, self._drops_before_source = current_drops, 0
        # Stored entries may be removed again, so from now on their owner is looked up in the work database.
        self._entries = dict(islice(self._entries.items(), self._entries_before_source, None))
        self._entries_before_source = 0

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
        self._waiting_since = time.monotonic()

    def _begin_transaction(self) -> None:
        self.work.begin()
        self._in_transaction = True

    def _write(self, drops: list[tuple[str, int]], rows: dict[str, TableRows]) -> None:
        for table in dict.fromkeys(table for table, _ in drops):
            self.work.drop(table, {key for name, key in drops if name == table})
        for table, new_rows in rows.items():
            self.work.put(table, new_rows)
        drops.clear()
        rows.clear()
