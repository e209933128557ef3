"""Which file is the newest vector index, from which vectors it was built, and whether one is being built.

The index is an immutable database. A small file names the newest one and is replaced by a rename. Nothing here needs
DuckDB.
"""

from __future__ import annotations

import json
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from memtui_core.store.data_folder import DataDir
from memtui_core.system.atomic_files import write_atomically

BUILDING_EVERY: Final = 2.0
"""Seconds between two touches by a process that builds."""
_BUILDING_COUNTS: Final = 15.0
"""Seconds for which such a touch counts, so that a process that was killed does not build for ever."""
_PIECE: Final = 1 << 20
"""Bytes of a database that are in memory at once for its checksum."""


class IndexEntry(NamedTuple):
    """The newest index, and the vectors from which it was built: the first `size` of a file."""

    number: int
    bytes: int
    """The size of the database."""
    checksum: int
    """The CRC-32 of the database."""
    engine: str
    """The version of DuckDB that wrote it; no other one reads it, as the format of vss may change."""
    file: int
    model: str
    dimension: int
    size: int
    last_hash: int
    """The hash of the last of these vectors."""
    built_at: float
    """In seconds since 1970."""

    def path(self, data: DataDir) -> Path:
        """The database."""
        return index_path(data, self.number)

    def is_whole(self, data: DataDir) -> bool:
        """Whether the database is as it was written; reads all of it."""
        try:
            return checksum(self.path(data)) == self.checksum
        except OSError:
            return False


def checksum(path: Path) -> int:
    """The CRC-32 of a file. Raises OSError."""
    found = 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            found = zlib.crc32(piece, found)
    return found


def index_path(data: DataDir, number: int) -> Path:
    """The database of an index."""
    return data.vector_index / f"vectors-{number}.duckdb"


def current_path(data: DataDir) -> Path:
    """The file that names the newest index."""
    return data.vector_index / "CURRENT"


def building_path(data: DataDir) -> Path:
    """The file that a process touches while it builds an index, and removes at its end."""
    return data.vector_index / "BUILDING"


def read_entry(data: DataDir) -> IndexEntry | None:
    """The newest index; None if there is none or it has another size than was written."""
    try:
        entry = IndexEntry(**json.loads(current_path(data).read_bytes()))
        numbers = (entry.number, entry.bytes, entry.checksum, entry.file, entry.dimension, entry.size, entry.last_hash)
        is_sound = all(type(number) is int for number in numbers) and entry.path(data).stat().st_size == entry.bytes
    except (OSError, ValueError, TypeError):
        return None
    return entry if is_sound else None


def write_entry(data: DataDir, entry: IndexEntry) -> None:
    """Make an index the newest one."""
    write_atomically(current_path(data), json.dumps(entry._asdict()).encode(), durable=True)


def is_being_built(data: DataDir) -> bool:
    """Whether a process builds an index now."""
    try:
        return abs(time.time() - building_path(data).stat().st_mtime) < _BUILDING_COUNTS
    except OSError:
        return False


def remove_indexes(data: DataDir, kept: tuple[Path, ...] = ()) -> None:
    """Remove all files of the folder but some, first the one that names the newest."""
    for path in sorted(data.vector_index.glob("*"), key=lambda path: path != current_path(data)):
        if path not in kept:
            # On systems on which open files cannot be removed, the next build tries again.
            with suppress(OSError):
                path.unlink()
