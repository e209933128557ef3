"""The work database: the only read-write connection, of the indexer. Its changes are recorded and later published."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import duckdb

from memtui_core.errors import IndexBroken
from memtui_core.store.changes import ChangeRecorder
from memtui_core.store.delta import apply_layers
from memtui_core.store.files import DataDir, copy_atomically, replace_file
from memtui_core.store.manifest import Manifest, newest_base, read_manifest
from memtui_core.store.rows import insert
from memtui_core.store.schema import migrate, version_of
from memtui_core.store.tables import KEYS, key_condition, stored_columns
from memtui_core.store.vector_files import move_table_to_files
from memtui_core.system.failures import damaged, is_of_machine

_CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    "storage_compatibility_version": "latest",
    "memory_limit": "300MB",
    "threads": 2,
}
_IDLE_MEMORY: Final = "1MB"
"""What an indexer that waits may keep of the database in memory."""
_LARGE_LOG: Final = 4_000_000
"""Bytes of the write-ahead log from which on it is written to the file when the indexer waits: its rows take five times
as much memory until then."""
_MAX_RECORDED: Final = 32_000_000
"""The most bytes of changes that are recorded for the next snapshot; more are published as a new base."""


class WorkDatabase:
    """The work database of one data folder, upgraded to the newest schema. Only one process may open it.

    A file that cannot be opened is replaced by the newest snapshot, or by an empty database if there is none. Raises
    IndexTooNew, and IndexBroken if the snapshot cannot be read either.
    """

    def __init__(self, data: DataDir) -> None:
        data.snapshots.mkdir(parents=True, exist_ok=True)
        self.data = data
        self.restore_reason: str | None = None
        """Why the file was replaced; None if it was opened."""
        published = read_manifest(data)
        self.connection = self._open(published)
        # The write-ahead log is enough between two checkpoints, and a short run must not rewrite tables at its end.
        self.connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        self.changes = ChangeRecorder(_MAX_RECORDED)
        if version_of(self.connection) == 2:
            move_table_to_files(self.connection, data)
        migrated = migrate(self.connection)
        batch = int(self.scalar("SELECT value FROM meta WHERE key = 'batch'"))
        if published is None or migrated or batch != published.batch:
            # The file was written by another version, or by a process that died before it could publish.
            self.changes.discard()
        self.batch = max(batch, published.batch if published else 0)
        self.written_batch = batch
        """The last batch of which changes were written."""

    def _open(self, published: Manifest | None) -> duckdb.DuckDBPyConnection:
        published = published or newest_base(self.data)
        if self.data.work.exists() or published is None:
            try:
                return duckdb.connect(str(self.data.work), config=_CONFIG)
            except duckdb.Error as error:
                if is_of_machine(error):
                    # The file is not damaged if the disk is full or another process has it open.
                    raise
                self.restore_reason = str(error).splitlines()[0]
            self.data.work.replace(self.data.work.with_suffix(".broken"))
        else:
            self.restore_reason = f"{self.data.work} does not exist"
        self.data.work.with_suffix(".duckdb.wal").unlink(missing_ok=True)
        try:
            if published is not None and self.data.base(published.base).exists():
                _restore(self.data, published)
            return duckdb.connect(str(self.data.work), config=_CONFIG)
        except (duckdb.Error, OSError, ValueError) as error:
            if is_of_machine(error) or isinstance(error, PermissionError):
                raise
            raise IndexBroken(damaged(self.data.path, error, beyond_repair=True)) from error

    def scalar(self, sql: str, parameters: list[Any] | None = None) -> Any:
        """The first column of the first row; None if there is no row."""
        row = self.connection.execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    @property
    def model(self) -> str | None:
        """The model that made the vectors; None if there are none."""
        model: str | None = self.scalar("SELECT value FROM meta WHERE key = 'model'")
        return model

    def next_id(self, table: str, column: str = "id") -> int:
        """The next unused key of a table."""
        return int(self.scalar(f"SELECT coalesce(max({column}), 0) + 1 FROM {table}"))

    def put(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Add rows to a published table; pull requests that a session already has are skipped."""
        if table == "pr_links":
            rows = self._new_links(rows)
        insert(self.connection, table, rows)
        self.changes.record(table, rows=rows)

    def drop(self, table: str, keys: Collection[int]) -> None:
        """Delete all rows with one of the keys from a published table."""
        if keys:
            self.connection.execute(f"DELETE FROM {table} WHERE {key_condition(KEYS[table], sorted(keys))}")
            self.changes.record(table, sorted(keys))

    def rows(self, table: str, where: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Rows of a table, in the form in which `put` accepts them."""
        return self.connection.execute(
            f"SELECT {stored_columns(table)} FROM {table} WHERE {where}", list(parameters)
        ).fetchall()

    def has_key(self, table: str, key: int) -> bool:
        """Whether a table has rows with a key."""
        return self.scalar(f"SELECT 1 FROM {table} WHERE {KEYS[table]} = ? LIMIT 1", [key]) is not None

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
        self.connection.execute("COMMIT")
        self.written_batch = self.batch

    def roll_back(self) -> None:
        """Roll back the transaction."""
        with suppress(duckdb.Error):
            self.connection.execute("ROLLBACK")
        self.changes.roll_back()

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
        """Write all rows into a new file, because the old one still contains the content of deleted rows.

        The next snapshot gets a new base.
        """
        part = self.data.work.with_suffix(".rewritten")
        for path in (part, part.with_suffix(".rewritten.wal")):
            path.unlink(missing_ok=True)
        with duckdb.connect(str(part), config=_CONFIG) as fresh:
            migrate(fresh)
        self.connection.execute(f"ATTACH '{str(part).replace(chr(39), chr(39) * 2)}' AS fresh")
        self.connection.execute("DELETE FROM fresh.meta")
        for (table,) in self.connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'fresh' ORDER BY 1"
        ).fetchall():
            self.connection.execute(f"INSERT INTO fresh.{table} BY NAME SELECT * FROM {table}")
        self.connection.execute("CHECKPOINT fresh")
        self.connection.execute("DETACH fresh")
        self.checkpoint()
        self.connection.close()
        replace_file(part, self.data.work)
        self.connection = self._open(None)
        self.connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        self.changes.discard()

    def checkpoint(self) -> None:
        """Write everything to the database file, so that the write-ahead log is empty."""
        self.connection.execute("CHECKPOINT")

    def release_memory(self) -> None:
        """Free what the database keeps in memory; what is needed is read again from its file."""
        log = self.data.work.with_suffix(".duckdb.wal")
        if log.exists() and log.stat().st_size >= _LARGE_LOG:
            self.checkpoint()
        # A lower limit drops the pages of the file that are cached.
        for limit in (_IDLE_MEMORY, _CONFIG["memory_limit"]):
            with suppress(duckdb.OutOfMemoryException):
                self.connection.execute(f"SET memory_limit = '{limit}'")

    def _new_links(self, rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
        """The first row of each pull request that its session does not have yet."""
        sessions = sorted({row[0] for row in rows})
        stored = self.connection.execute(
            f"SELECT session, number FROM pr_links WHERE {key_condition('session', sessions)}"
        )
        known, new = set(stored.fetchall()), []
        for row in rows:
            if (row[0], row[1]) not in known:
                known.add((row[0], row[1]))
                new.append(row)
        return new

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


def _restore(data: DataDir, published: Manifest) -> None:
    """Create the work database from a snapshot; the file appears when it is complete."""
    part = data.work.with_suffix(".restored")
    part.with_suffix(".restored.wal").unlink(missing_ok=True)
    copy_atomically(data.base(published.base), part)
    connection = duckdb.connect(str(part), config=_CONFIG)
    try:
        migrate(connection)
        apply_layers(connection, data, published)
        connection.execute("CHECKPOINT")
    finally:
        connection.close()
    replace_file(part, data.work)
