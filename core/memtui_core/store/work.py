"""The indexer's database: the only read-write connection. What it changes is recorded, to be published."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import duckdb

from memtui_core.errors import IndexBroken
from memtui_core.store.changes import ChangeRecorder
from memtui_core.store.delta import apply_layers
from memtui_core.store.files import DataDir, copy_whole, put_in_place
from memtui_core.store.manifest import Manifest, newest_base, read_manifest
from memtui_core.store.rows import insert
from memtui_core.store.schema import migrate, version_of
from memtui_core.store.tables import KEYS, among, given
from memtui_core.store.vector_files import adopt_table
from memtui_core.system.failures import damaged, is_of_machine

_CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    "storage_compatibility_version": "latest",
    "memory_limit": "300MB",
    "threads": 2,
}
_ROOM: Final = 32_000_000
"""Bytes of changes that are kept for the next snapshot; more are published as a new base."""


class Work:
    """The work database of one data folder, brought to the newest schema. Only one process may hold it.

    A file that cannot be opened is replaced by the newest snapshot, or by an empty database if there is none; `lost`
    says so. Raises IndexTooNew.
    """

    def __init__(self, data: DataDir) -> None:
        data.snapshots.mkdir(parents=True, exist_ok=True)
        self.data = data
        self.lost: str | None = None
        published = read_manifest(data)
        self.connection = self._open(published)
        # The write-ahead log is enough between two checkpoints, and a short run should not rewrite tables at its end.
        self.connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        self.changes = ChangeRecorder(_ROOM)
        if version_of(self.connection) == 2:
            adopt_table(self.connection, data)
        migrated = migrate(self.connection)
        batch = int(self.scalar("SELECT value FROM meta WHERE key = 'batch'"))
        if published is None or migrated or batch != published.batch:
            # Written by another version, or by a process that died before it could publish.
            self.changes.lose()
        self.batch = max(batch, published.batch if published else 0)
        self.written_batch = batch
        """The last batch that anything was written of."""

    def _open(self, published: Manifest | None) -> duckdb.DuckDBPyConnection:
        published = published or newest_base(self.data)
        if self.data.work.exists() or published is None:
            try:
                return duckdb.connect(str(self.data.work), config=_CONFIG)
            except duckdb.Error as error:
                if is_of_machine(error):
                    # A full disk or another process that has the file open does not make it a damaged one.
                    raise
                self.lost = str(error).splitlines()[0]
            self.data.work.replace(self.data.work.with_suffix(".broken"))
        else:
            self.lost = f"{self.data.work} is not there"
        self.data.work.with_suffix(".duckdb.wal").unlink(missing_ok=True)
        try:
            if published is not None and self.data.base(published.base).exists():
                _restore(self.data, published)
            return duckdb.connect(str(self.data.work), config=_CONFIG)
        except (duckdb.Error, OSError, ValueError) as error:
            if is_of_machine(error) or isinstance(error, PermissionError):
                raise
            raise IndexBroken(damaged(self.data.path, error, whole=True)) from error

    def scalar(self, sql: str, parameters: list[Any] | None = None) -> Any:
        """The first column of the first row, None when there is no row."""
        row = self.connection.execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    def next_id(self, table: str, column: str = "id") -> int:
        """A key that no row has yet."""
        return int(self.scalar(f"SELECT coalesce(max({column}), 0) + 1 FROM {table}"))

    def put(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Add rows to a table that snapshots carry; those of a pull request that is known already are passed over."""
        if table == "pr_links":
            rows = self._new_links(rows)
        insert(self.connection, table, rows)
        self.changes.record(table, rows=rows)

    def drop(self, table: str, keys: Collection[int]) -> None:
        """Take all rows of some keys out of a table that snapshots carry."""
        if keys:
            self.connection.execute(f"DELETE FROM {table} WHERE {among(KEYS[table], sorted(keys))}")
            self.changes.record(table, sorted(keys))

    def rows(self, table: str, where: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Rows in the form in which `put` takes them."""
        return self.connection.execute(f"SELECT {given(table)} FROM {table} WHERE {where}", list(parameters)).fetchall()

    def holds(self, table: str, key: int) -> bool:
        """Whether there is a row of a key."""
        return self.scalar(f"SELECT 1 FROM {table} WHERE {KEYS[table]} = ? LIMIT 1", [key]) is not None

    def keep(self, table: str, key: int, condition: str, parameters: Sequence[Any]) -> None:
        """Of the rows of one key, leave those that meet a condition."""
        where = f"{KEYS[table]} = ?"
        held = self.scalar(f"SELECT count(*) FROM {table} WHERE {where}", [key])
        kept = self.rows(table, f"{where} AND {condition}", [key, *parameters])
        if held > len(kept):
            self.drop(table, [key])
            self.put(table, kept)

    def begin(self) -> None:
        """Begin a transaction; the first of a batch writes the batch's number."""
        self.connection.execute("BEGIN")
        self.changes.begin()
        if self.written_batch != self.batch:
            self.connection.execute("UPDATE meta SET value = ? WHERE key = 'batch'", [str(self.batch)])

    def commit(self) -> None:
        """Make what was done since `begin` last."""
        self.connection.execute("COMMIT")
        self.written_batch = self.batch

    def roll_back(self) -> None:
        """Undo what was done since `begin`."""
        with suppress(duckdb.Error):
            self.connection.execute("ROLLBACK")
        self.changes.roll_back()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing: an exception rolls back."""
        self.begin()
        try:
            yield
        except BaseException:
            self.roll_back()
            raise
        self.commit()

    def begin_batch(self) -> int:
        """Number the changes that follow until the next snapshot."""
        self.batch += 1
        return self.batch

    def write_batch(self) -> None:
        """Write the number of the batch if no transaction did."""
        if self.written_batch != self.batch:
            with self.transaction():
                pass

    def checkpoint(self) -> None:
        """Write everything to the one file, and nothing beside it."""
        self.connection.execute("CHECKPOINT")

    def _new_links(self, rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
        """The first row of a pull request holds."""
        sessions = sorted({row[0] for row in rows})
        held = self.connection.execute(f"SELECT session, number FROM pr_links WHERE {among('session', sessions)}")
        known, new = set(held.fetchall()), []
        for row in rows:
            if (row[0], row[1]) not in known:
                known.add((row[0], row[1]))
                new.append(row)
        return new

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


def _restore(data: DataDir, published: Manifest) -> None:
    """Make the work file of a snapshot; it takes its place when it is whole."""
    part = data.work.with_suffix(".restored")
    part.with_suffix(".restored.wal").unlink(missing_ok=True)
    copy_whole(data.base(published.base), part)
    connection = duckdb.connect(str(part), config=_CONFIG)
    try:
        migrate(connection)
        apply_layers(connection, data, published)
        connection.execute("CHECKPOINT")
    finally:
        connection.close()
    put_in_place(part, data.work)
