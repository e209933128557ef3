"""The journal: what changed since the delta, a line a batch, only ever added to.

A line is `{"batch": n, "ops": [[table, keys, rows], ...]}`: first the rows of those keys are dropped, then rows are
added.

It can be read without orjson: to load that takes a hook longer than the slower reader takes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memtui_core.store.files import sync
from memtui_core.store.tables import COLUMNS, KEYS

Row = Sequence[Any]


class Changes:
    """What the lines of a journal come to."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[int, list[Row]]] = {}
        """The rows of each table by their key, as the last line leaves them."""
        self.dropped: dict[str, set[int]] = {}
        """The keys of each table whose rows in base and delta do not count any more."""
        self.counts: dict[str, int] = {}
        """How often each table was changed."""

    def apply(self, line: bytes) -> None:
        """Take in a line. Raises ValueError for one that is damaged."""
        try:
            for table, keys, rows in _json().loads(line)["ops"]:
                self._apply(table, keys, rows)
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError(f"a line of the journal is damaged: {error}") from error

    def _apply(self, table: str, keys: Sequence[int], rows: Sequence[Row]) -> None:
        held, columns = self._rows.setdefault(table, {}), list(COLUMNS[table])
        place = columns.index(KEYS[table])
        self.counts[table] = self.counts.get(table, 0) + 1
        for key in keys:
            held.pop(key, None)
        self.dropped.setdefault(table, set()).update(key + 0 for key in keys)
        for row in rows:
            if len(row) != len(columns):
                raise ValueError(f"a row of {table} has {len(row)} values")
            held.setdefault(row[place], []).append(row)

    def json_of(self, table: str) -> str:
        """The rows of one table as JSON; empty for none."""
        rows = [row for rows in self._rows.get(table, {}).values() for row in rows]
        if not rows:
            return ""
        text = _json().dumps(rows)
        return text.decode() if isinstance(text, bytes) else text


def encode(table: str, keys: Sequence[int], rows: Sequence[Row]) -> bytes:
    """One change as it stands in a line. Raises TypeError for text that is no Unicode."""
    import orjson

    return orjson.dumps([table, keys, rows])


def line_of(batch: int, ops: Sequence[bytes]) -> bytes:
    """The line of a batch."""
    return b'{"batch":%d,"ops":[%s]}\n' % (batch, b",".join(ops))


def append(path: Path, size: int, line: bytes) -> int:
    """Add a line behind the first `size` bytes and sync the file; the new size.

    What stands behind them was written by a process that died before it was published.
    """
    with path.open("r+b" if size else "wb") as file:
        file.seek(size)
        file.truncate()
        file.write(line)
        sync(file)
    return size + len(line)


def read(path: Path, size: int) -> Changes:
    """What the first `size` bytes of a journal come to. Raises OSError or ValueError when they cannot be read."""
    with path.open("rb") as file:
        data = file.read(size)
    if len(data) != size or not data.endswith(b"\n"):
        raise ValueError(f"{path.name} has {len(data)} bytes of {size}")
    changes = Changes()
    for line in data.splitlines():
        changes.apply(line)
    return changes


def _json() -> Any:
    return sys.modules.get("orjson") or json
