"""The journal: an append-only file with the changes since the delta, one line a batch; the record of the next line.

A line is `{"batch": n, "ops": [[table, keys, rows], ...], "crc": n}`: first the rows of these keys are deleted, then
rows are added. The checksum is that of what stands before it; lines of an earlier version have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import orjson

from memtui_core.store.tables import COLUMNS, KEYS, REMOVED_TABLES
from memtui_core.system.atomic_files import sync
from memtui_core.system.fault_points import fault_point

Row = Sequence[Any]
_CHECKSUM: Final = b',"crc":'
"""What stands before the checksum of a line."""


class Changes:
    """The net changes of the lines of a journal."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[int, list[Row]]] = {}
        """The added rows of each table by their key, after the last line."""
        self.dropped: dict[str, set[int]] = {}
        """The keys of each table whose rows in base and delta are deleted or replaced."""
        self.counts: dict[str, int] = {}
        """The number of changes of each table."""

    def apply(self, line: bytes) -> None:
        """Add the changes of a line. Raises ValueError if the line is damaged."""
        try:
            content, mark, checksum = line.rpartition(_CHECKSUM)
            if mark and checksum.rstrip() != b"%d}" % crc32(content):
                raise ValueError("a line of the journal is damaged: its checksum is another")
            for table, keys, rows in orjson.loads(line)["ops"]:
                if table not in REMOVED_TABLES:
                    self._apply(table, keys, rows)
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError(f"a line of the journal is damaged: {error}") from error

    def _apply(self, table: str, keys: Sequence[int], rows: Sequence[Row]) -> None:
        rows_by_key, columns = self._rows.setdefault(table, {}), list(COLUMNS[table])
        key_column = columns.index(KEYS[table])
        self.counts[table] = self.counts.get(table, 0) + 1
        for key in keys:
            rows_by_key.pop(key, None)
        self.dropped.setdefault(table, set()).update(key + 0 for key in keys)
        for row in rows:
            if len(row) != len(columns):
                raise ValueError(f"a row of {table} has {len(row)} values")
            rows_by_key.setdefault(row[key_column], []).append(row)

    def rows_json(self, table: str) -> str:
        """The added rows of a table as a JSON array; empty if there are none."""
        rows = [row for rows in self._rows.get(table, {}).values() for row in rows]
        return orjson.dumps(rows).decode() if rows else ""


def encode_change(table: str, keys: Sequence[int], rows: Sequence[Row]) -> bytes:
    """A change in the form in which a line contains it. Raises TypeError for text that is not valid Unicode."""
    return orjson.dumps([table, keys, rows])


def encode_batch(batch: int, ops: Sequence[bytes]) -> bytes:
    """The line of a batch, given its encoded changes."""
    content = b'{"batch":%d,"ops":[%s]' % (batch, b",".join(ops))
    return b"%s%s%d}\n" % (content, _CHECKSUM, crc32(content))


def append(path: Path, size: int, line: bytes) -> int:
    """Write a line after the first `size` bytes and sync the file; the new size.

    Bytes after them were written by a process that died before it published them, and are overwritten.
    """
    with path.open("r+b" if size else "wb") as file:
        file.seek(size)
        file.truncate()
        file.write(line)
        fault_point("journal-written")
        sync(file)
    fault_point("journal-synced")
    return size + len(line)


def read(path: Path, size: int) -> Changes:
    """The changes in the first `size` bytes of a journal. Raises OSError or ValueError if they cannot be read."""
    with path.open("rb") as file:
        data = file.read(size)
    if len(data) != size or not data.endswith(b"\n"):
        raise ValueError(f"{path.name} has {len(data)} bytes of {size}")
    changes = Changes()
    for line in data.splitlines():
        changes.apply(line)
    return changes


class ChangeRecorder:
    """Collects encoded changes in the order in which they are made.

    Beyond `max_bytes` they are discarded: `incomplete` means that the next snapshot needs a new base.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.incomplete = False
        self.size = 0
        """The number of bytes recorded."""
        self._changes: list[bytes] = []
        self._savepoint: tuple[int, int] | None = None
        """The number of changes and of bytes at the start of the transaction."""

    def record(self, table: str, keys: Sequence[int] = (), rows: Sequence[Row] = ()) -> None:
        """Record that the rows of some keys were deleted and then rows were added."""
        if self.incomplete or not (keys or rows):
            return
        try:
            change = encode_change(table, keys, rows)
        except TypeError:
            self.discard()
            return
        self._changes.append(change)
        self.size += len(change)
        if self.size > self.max_bytes:
            self.discard()

    def discard(self) -> None:
        """Discard all changes, so that the next snapshot needs a new base."""
        self.incomplete = True
        self._changes.clear()
        self.size = 0

    def begin(self) -> None:
        """Start a transaction."""
        self._savepoint = (len(self._changes), self.size)

    def roll_back(self) -> None:
        """Remove the changes of the current transaction."""
        if self._savepoint is not None:
            count, size = self._savepoint
            # Changes that were discarded because of their size cannot be restored.
            if not self.incomplete:
                del self._changes[count:]
                self.size = size

    def take(self) -> list[bytes]:
        """Return all recorded changes and start a new record."""
        changes = self._changes
        self._changes, self.size, self.incomplete, self._savepoint = [], 0, False, None
        return changes
