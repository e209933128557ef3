"""The work database: the only read-write connection, of the indexer. Its changes are recorded and later published.

It is a whole database until everything in it is published; from then on an overlay, with what changed since the base.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import duckdb

from memtui_core.errors import IndexBroken
from memtui_core.store.data_folder import DataDir
from memtui_core.store.schema import VERSION, meta_of, migrate
from memtui_core.store.snapshot.databases import needs_compacting, write_base, write_whole
from memtui_core.store.snapshot.journal import ChangeRecorder
from memtui_core.store.snapshot.manifest import Manifest, read_manifest
from memtui_core.store.tables import KEYS, Row, TableRows, key_condition, stored_columns
from memtui_core.store.vectors.files import move_table_to_files
from memtui_core.store.work.connection import CONFIG, WORK, connect, detach_all, insert
from memtui_core.store.work.opening import Carried, make_overlay, open_anew, open_work
from memtui_core.store.work.overlay import SCHEMA, base_of, copy_from_base, replace_in_base, replaced_keys
from memtui_core.system.atomic_files import replace_file, sync
from memtui_core.system.fault_points import fault_point

_log = logging.getLogger(__name__)
_IDLE_MEMORY: Final = "1MB"
"""What an indexer that waits may keep of the database in memory."""
_LARGE_LOG: Final = 4_000_000
"""Bytes of the write-ahead log from which on it is written to the file when the indexer waits: its rows take five times
as much memory until then."""
_MAX_RECORDED: Final = 32_000_000
"""The most bytes of changes that are recorded for the next snapshot; more are published as a new base."""


class WorkDatabase:
    """The work database of one data folder, upgraded to the newest schema. Only one process may open it.

    A file that cannot be opened is replaced by the newest snapshot, or by an empty database if there is none. If the
    base or the snapshot cannot be read either, all of them are moved aside, and an empty database is marked as to be
    restored from what is left of them. Raises IndexTooNew.

    Queries find all rows by the names of the tables; only the methods of this class change rows of published tables.
    """

    def __init__(self, data: DataDir) -> None:
        data.snapshots.mkdir(parents=True, exist_ok=True)
        self.data = data
        self.restore_reason: str | None = None
        """Why the file was replaced; None if it was opened."""
        self.is_new = False
        """Whether nothing could replace the file, so that it is empty."""
        published = read_manifest(data)
        self.base: int | None = None
        """The number of the base of which this is an overlay; None for a whole database."""
        self.connection = connect(data)
        meta = self._open(published, anew=True)
        if self.is_new:
            published = None
        self.changes = ChangeRecorder(_MAX_RECORDED)
        self.changed: Counter[str] = Counter()
        """How often rows of each published table were added or deleted."""
        self._filled: set[str] | None = None if meta and not self.is_new else set()
        """The tables that may have rows; None until that is read from the database."""
        if meta.get("schema") == "2":
            move_table_to_files(self.connection, data)
        migrated = meta.get("schema") != str(VERSION) and migrate(self.connection)
        batch = int(meta.get("batch", 0))
        if published is None or migrated or batch != published.batch or self.base not in (None, published.base):
            # The file was written by another version, or by a process that died before it could publish.
            self.changes.discard()
        self.batch = max(batch, published.batch if published else 0)
        self.written_batch = batch
        """The last batch of which changes were written."""

    def _open(self, published: Manifest | None = None, *, anew: bool = False) -> dict[str, str]:
        """Attach the file to the connection, to which nothing is attached; the values of its table `meta`.

        With `anew`, an index that is beyond repair is replaced by an empty one.
        """
        try:
            self.connection, self.restore_reason = open_work(self.connection, self.data, published)
        except IndexBroken as error:
            if not anew:
                raise
            _log.warning("%s", error)
            self.connection, self.restore_reason = open_anew(self.data, published), str(error.__cause__ or error)
            self.is_new = True
        meta = meta_of(self.connection)
        self.base = base_of(meta)
        # While much is read, merging groups of rows again and again takes 300 MB of memory, and more time.
        self.connection.execute("SET max_vacuum_tasks = 0" if self.base is None else "RESET max_vacuum_tasks")
        self._handled: dict[str, set[int]] | None = None
        """The keys of each table of which the base was asked; None if that must be read from the database."""
        return meta

    def _reconnect(self) -> None:
        """Start with a new connection, to which nothing is attached."""
        self.connection.close()
        self.connection = connect(self.data)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Another connection, for a query whose rows are read while others run."""
        cursor = self.connection.cursor()
        cursor.execute(f"USE {WORK}")
        return cursor

    def scalar(self, sql: str, parameters: list[Any] | None = None) -> Any:
        """The first column of the first row; None if there is no row."""
        row = self.connection.execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    @property
    def model(self) -> str | None:
        """The model that made the vectors; None if there are none."""
        model: str | None = self.scalar("SELECT value FROM meta WHERE key = 'model'")
        return model

    def may_have(self, table: str) -> bool:
        """Whether a published table may have rows: of most indexes some have none, and need no query."""
        if self._filled is None:
            rows = self.connection.execute("SELECT table_name FROM duckdb_tables() WHERE estimated_size > 0").fetchall()
            self._filled = {name for (name,) in rows}
        return table in self._filled

    def next_id(self, table: str) -> int:
        """The next unused key of a table."""
        return int(self.scalar(f"SELECT coalesce(max(id), 0) + 1 FROM {table}")) if self.may_have(table) else 1

    def put(self, table: str, rows: Sequence[Row] | TableRows) -> None:
        """Add rows to a published table; a session has a pull request once (`_new_links`)."""
        columns = rows if isinstance(rows, TableRows) else TableRows.of(rows)
        if table == "pr_links":
            columns = TableRows.of(self._new_links(columns.rows()))
        self.changed[table] += bool(columns)
        if columns and not self.may_have(table):
            self._filled = {*(self._filled or ()), table}
        schema = "main" if self.base is None else SCHEMA
        try:
            insert(self.connection, table, columns, schema)
        except UnicodeEncodeError:
            # Half a character, or a name that is not UTF-8. Nothing was inserted: looking at each text before would
            # take longer.
            columns = columns.storable()
            insert(self.connection, table, columns, schema)
        if not self.changes.incomplete:
            self.changes.record(table, rows=columns.rows())

    def drop(self, table: str, keys: Collection[int]) -> None:
        """Delete all rows with one of the keys from a published table."""
        if keys and self.may_have(table):
            self.changed[table] += 1
            self.connection.execute(f"DELETE FROM {self._own(table)} WHERE {key_condition(KEYS[table], sorted(keys))}")
            self._hide(table, keys)
            self.changes.record(table, sorted(keys))

    def clear(self, table: str) -> None:
        """Delete all rows of a published table; the changes since the last snapshot are not recorded."""
        self.connection.execute(f"DELETE FROM {self._own(table)}")
        if self.base is not None:
            rows = self.connection.execute(f"SELECT DISTINCT {KEYS[table]} FROM {table}").fetchall()
            self._hide(table, [key for (key,) in rows])
        self.changes.discard()

    def mark_turns(self, condition: str, parameters: Sequence[Any]) -> list[int]:
        """Set the batch of turns that meet a condition to the current one; their ids. Readers do not see the batch."""
        found = self.connection.execute(f"SELECT id FROM turns WHERE {condition}", list(parameters)).fetchall()
        turns = [turn for (turn,) in found]
        if not turns:
            return []
        among = key_condition("id", turns)
        with self.transaction():
            if self.base is not None:
                copy_from_base(self.connection, "turns", turns)
                self._hide("turns", turns)
            self.connection.execute(f"UPDATE {self._own('turns')} SET batch = ? WHERE {among}", [self.batch])
        return turns

    def _own(self, table: str) -> str:
        """The table that contains the rows of this file."""
        return table if self.base is None else f"{SCHEMA}.{table}"

    def _hide(self, table: str, keys: Collection[int]) -> None:
        """Hide the rows of keys in the base."""
        if self.base is None:
            return
        if self._handled is None:
            self._handled = replaced_keys(self.connection)
        handled = self._handled.setdefault(table, set())
        if new := set(keys) - handled:
            replace_in_base(self.connection, table, new)
            handled |= new

    def rows(self, table: str, where: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Rows of a table, in the form in which `put` accepts them."""
        return self.connection.execute(
            f"SELECT {stored_columns(table)} FROM {table} WHERE {where}", list(parameters)
        ).fetchall()

    def has_key(self, table: str, key: int) -> bool:
        """Whether a table has rows with a key."""
        query = f"SELECT 1 FROM {table} WHERE {KEYS[table]} = ? LIMIT 1"
        return self.may_have(table) and self.scalar(query, [key]) is not None

    def keep_only(self, table: str, key: int, condition: str, parameters: Sequence[Any]) -> None:
        """Delete the rows with a key that do not meet a condition."""
        where = f"{KEYS[table]} = ?"
        count = self.scalar(f"SELECT count(*) FROM {table} WHERE {where}", [key])
        kept = self.rows(table, f"{where} AND {condition}", [key, *parameters])
        if count > len(kept):
            self.drop(table, [key])
            self.put(table, kept)

    def begin(self) -> None:
        """Start a transaction; the first one of a batch stores the number of the batch."""
        self.connection.execute("BEGIN")
        self.changes.begin()
        if self.written_batch != self.batch:
            self.connection.execute("UPDATE meta SET value = ? WHERE key = 'batch'", [str(self.batch)])

    def commit(self) -> None:
        """Commit the transaction."""
        fault_point("rows-written")
        self.connection.execute("COMMIT")
        fault_point("rows-committed")
        self.written_batch = self.batch

    def roll_back(self) -> None:
        """Roll back the transaction."""
        with suppress(duckdb.Error):
            self.connection.execute("ROLLBACK")
        self.changes.roll_back()
        self._handled = None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction that is committed at the end, and rolled back by an exception."""
        self.begin()
        try:
            yield
        except BaseException:
            self.roll_back()
            raise
        self.commit()

    def begin_batch(self) -> int:
        """Start a batch: the changes until the next snapshot; the number of the batch."""
        self.batch += 1
        return self.batch

    def write_batch(self) -> None:
        """Store the number of the batch, unless a transaction already did."""
        if self.written_batch != self.batch:
            with self.transaction():
                pass

    def rewrite(self) -> None:
        """Write all rows into a new, whole file, because the old ones still contain the content of deleted rows.

        The next snapshot gets a new base.
        """
        part = self.data.work.with_suffix(".rewritten")
        write_whole(self.connection, part)
        fault_point("work-rewritten")
        self._detach_for_replacement()
        replace_file(part, self.data.work)
        fault_point("rewritten-work-in-place")
        self._open()
        self.changes.discard()

    def write_base(self, *, compact: bool = False) -> None:
        """Write the base of the current batch: a copy of this file, or of its base with the changes applied.

        With `compact`, all rows are written into a new file instead.
        """
        self.checkpoint()
        write_base(self.connection, self.data, self.base, self.batch, compact=compact)

    def hand_over(self) -> None:
        """Turn this whole database into the base of the current batch and continue as an overlay of it."""
        carried, base = self._carried(), self.data.base(self.batch)
        self.checkpoint()
        if needs_compacting(self.connection, WORK):
            write_base(self.connection, self.data, None, self.batch, compact=True)
            self.rebase(self.batch)
            return
        detach_all(self.connection)
        with self.data.work.open("rb+") as file:
            sync(file)
        replace_file(self.data.work, base)
        fault_point("work-became-base")
        try:
            replace_file(make_overlay(self.connection, self.data, self.batch, carried), self.data.work)
        except BaseException:
            self._reconnect()
            replace_file(base, self.data.work)
            raise
        finally:
            self._open()

    def rebase(self, base: int) -> None:
        """Continue as an empty overlay of a base that contains everything."""
        carried = self._carried()
        self._detach_for_replacement()
        fault_point("work-detached")
        try:
            replace_file(make_overlay(self.connection, self.data, base, carried), self.data.work)
        except BaseException:
            self._reconnect()
            raise
        finally:
            self._open()

    @property
    def has_changes(self) -> bool:
        """Whether this overlay may differ from its base."""
        rows = self.scalar("SELECT sum(estimated_size) FROM duckdb_tables() WHERE schema_name = ?", [SCHEMA])
        return bool(rows or self.scalar("SELECT count(*) FROM replaced"))

    @property
    def log_size(self) -> int:
        """Bytes of the write-ahead log."""
        try:
            return self.data.work_log.stat().st_size
        except OSError:
            return 0

    @property
    def size(self) -> int:
        """Bytes of the file and its write-ahead log."""
        return self.data.work.stat().st_size + self.log_size

    def reopen(self) -> None:
        """Close the file and open it again, which frees the memory that DuckDB keeps for each block that it wrote."""
        self.checkpoint()
        self._reconnect()
        fault_point("work-closed-to-reopen")
        self._open()

    def checkpoint(self) -> None:
        """Write everything to the database file, so that the write-ahead log is empty."""
        self.connection.execute("CHECKPOINT")

    def release_memory(self) -> None:
        """Free what the database keeps in memory; what is needed is read again from its file."""
        if self.log_size >= _LARGE_LOG:
            self.checkpoint()
        self.drop_cached()

    def drop_cached(self) -> None:
        """Drop the pages of the file that are cached in memory, as a lower limit does."""
        for limit in (_IDLE_MEMORY, CONFIG["memory_limit"]):
            with suppress(duckdb.OutOfMemoryException):
                self.connection.execute(f"SET memory_limit = '{limit}'")

    def _carried(self) -> Carried:
        meta = dict(self.connection.execute("SELECT key, value FROM meta").fetchall())
        return Carried(meta, self.connection.execute("SELECT turn, batch FROM dropped_turns").fetchall())

    def _detach_for_replacement(self) -> None:
        """Detach the file without a log, which would not match another file of its name."""
        self.checkpoint()
        detach_all(self.connection)

    def _new_links(self, rows: Sequence[Row]) -> list[Row]:
        """What is to be added that each session has each pull request once, by its first line; later ones are dropped.

        So it does not matter in how many steps a transcript was read.
        """
        sessions = sorted({row[0] for row in rows})
        stored = {(row[0], row[1]): row for row in self.rows("pr_links", key_condition("session", sessions), [])}
        first: dict[tuple[Any, ...], Row] = dict(stored)
        for row in rows:
            key = row[0], row[1]
            if key not in first or row[5] < first[key][5]:
                first[key] = row
        replaced = {key[0] for key, row in stored.items() if first[key] is not row}
        self.drop("pr_links", replaced)
        return [row for key, row in first.items() if key not in stored or key[0] in replaced]

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()
