"""The indexer's database: the only read-write connection, and the snapshots made of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import duckdb

from memtui_core.errors import IndexBroken
from memtui_core.store.files import DataDir, copy_whole, write_whole
from memtui_core.store.reader import current_number
from memtui_core.store.schema import migrate

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "storage_compatibility_version": "latest",
    "memory_limit": "300MB",
    "threads": 2,
}
SHORTEST_PAUSE = 1.0
"""Seconds between two snapshots while the file is small."""
PUBLISH_SHARE = 20
"""The pause is at least this many times what the last snapshot took, lexicon included."""
LONGEST_PAUSE = 10.0
"""Seconds after which what was read is shown at the latest."""


class Work:
    """The work database of one data folder, brought to the newest schema. Only one process may hold it.

    A file that cannot be opened is replaced by the newest snapshot, or by an empty database if there is none; `lost`
    says so. Raises IndexTooNew.
    """

    def __init__(self, data: DataDir) -> None:
        data.snapshots.mkdir(parents=True, exist_ok=True)
        self._data = data
        self.lost: str | None = None
        self.connection = self._open()
        migrate(self.connection)
        self.published = current_number(data)
        """Number of the newest snapshot, which is the batch that it holds; None before the first."""
        self.batch = max(int(self.scalar("SELECT value FROM meta WHERE key = 'batch'")), self.published or 0)
        self._last_publish = float("-inf")
        self._pause = SHORTEST_PAUSE

    def _open(self) -> duckdb.DuckDBPyConnection:
        try:
            return duckdb.connect(str(self._data.work), config=_CONFIG)
        except duckdb.Error as error:
            self.lost = str(error).splitlines()[0]
        aside = self._data.work.with_suffix(".broken")
        self._data.work.replace(aside)
        self._data.work.with_suffix(".duckdb.wal").unlink(missing_ok=True)
        number = current_number(self._data)
        if number is not None and self._data.snapshot(number).exists():
            copy_whole(self._data.snapshot(number), self._data.work)
        try:
            return duckdb.connect(str(self._data.work), config=_CONFIG)
        except duckdb.Error as error:
            raise IndexBroken(f"The index in {self._data.path} cannot be opened: {error}") from error

    def scalar(self, sql: str, parameters: list[Any] | None = None) -> Any:
        """The first column of the first row, None when there is no row."""
        row = self.connection.execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    def next_id(self, table: str, column: str = "id") -> int:
        """A key that no row has yet."""
        return int(self.scalar(f"SELECT coalesce(max({column}), 0) + 1 FROM {table}"))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing: an exception rolls back."""
        self.connection.execute("BEGIN")
        try:
            yield
        except BaseException:
            with suppress(duckdb.Error):
                self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def begin_batch(self) -> int:
        """Number the changes that follow until the next snapshot."""
        self.batch += 1
        self.connection.execute("UPDATE meta SET value = ? WHERE key = 'batch'", [str(self.batch)])
        return self.batch

    @property
    def due(self) -> bool:
        """True when enough time has passed since the last snapshot."""
        return time.monotonic() - self._last_publish >= self._pause

    def publish(self, started: float) -> None:
        """Make what is committed visible to readers: a snapshot with the number of the batch.

        `started` is the monotonic time at which the work for it began.
        """
        self.connection.execute("CHECKPOINT")
        copy_whole(self._data.work, self._data.snapshot(self.batch))
        write_whole(self._data.current, str(self.batch).encode())
        self.published = self.batch
        self._last_publish = time.monotonic()
        self._pause = min(max(SHORTEST_PAUSE, PUBLISH_SHARE * (self._last_publish - started)), LONGEST_PAUSE)
        self._remove_old()

    def _remove_old(self) -> None:
        """Keep the one before the newest: a reader may have read its name and not opened it yet."""
        kept = sorted(self._numbers())[-2:]
        for number in self._numbers() - set(kept):
            with suppress(OSError):
                self._data.snapshot(number).unlink()

    def _numbers(self) -> set[int]:
        return {int(path.stem) for path in self._data.snapshots.glob("*.duckdb") if path.stem.isdigit()}

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()
