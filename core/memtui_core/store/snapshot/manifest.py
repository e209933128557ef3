"""The manifest, in the file `CURRENT`: which files are the newest snapshot.

A snapshot is a base (a database with everything), a delta (a database with the changes since the base) and a journal
(lines with the changes since the delta). Base and delta never change; of the journal only the first `journal_bytes`
count, and these never change either. The vectors are in files of their own. One small file names all of them and is
replaced by a rename, so a reader sees one state or the next, never a mixture. It ends with the number of the schema, by
which a newer index is refused, and with the checksum of what stands before.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32

from memtui_core.store.data_folder import DataDir
from memtui_core.store.schema import VERSION, too_new
from memtui_core.system.atomic_files import write_atomically
from memtui_core.system.fault_points import fault_point

_CHECKSUM: Final = b', "crc": '
"""What stands before the checksum."""


class SnapshotVectors(NamedTuple):
    """The vectors of a snapshot: the first `size` vectors of a file."""

    file: int
    model: str
    dimension: int
    size: int


class Manifest(NamedTuple):
    """The parts of one snapshot; files are identified by their numbers."""

    batch: int
    """The number of the last batch in it."""
    base: int
    delta: int | None = None
    journal: int | None = None
    journal_bytes: int = 0
    base_bytes: int = 0
    """The size of the base; 0 if an earlier version did not record it. A base with another size is damaged."""
    delta_bytes: int = 0
    vectors: SnapshotVectors | None = None
    base_at: float = 0.0
    """When the base was written, in seconds since 1970; 0 if unknown."""
    published_at: float = 0.0
    indexer_since: float = 0.0
    """When the indexer that published it was started."""
    written: int | None = None
    """The number of bytes that this indexer has written since; None if the system does not count them."""

    def files(self, data: DataDir) -> set[Path]:
        """The files of base, delta, journal and vectors."""
        paths = {data.base(self.base)}
        if self.delta is not None:
            paths.add(data.delta(self.delta))
        if self.journal is not None:
            paths.add(data.journal(self.journal))
        if self.vectors is not None:
            paths |= {*data.vector_files(self.vectors.file)}
        return paths

    def with_base(self, batch: int, size: int, at: float) -> Manifest:
        """The manifest of a snapshot with a new base and nothing else; `at` in seconds since 1970."""
        return self.with_delta(batch, None, 0)._replace(base=batch, base_bytes=size, base_at=at)

    def with_delta(self, batch: int, delta: int | None, size: int) -> Manifest:
        """The manifest of a snapshot with a new delta and no journal."""
        return self._replace(batch=batch, delta=delta, delta_bytes=size, journal=None, journal_bytes=0)


def read_manifest(data: DataDir) -> Manifest | None:
    """The newest snapshot; None if nothing was published yet, or if the manifest cannot be read.

    Earlier versions wrote no checksum, and the first ones only a number: that of a base without delta and journal.
    Raises IndexTooNew.
    """
    try:
        content = data.current.read_bytes()
        fields: Any = json.loads(content)
        if type(fields) is int:
            return Manifest(fields, fields)
        before, mark, _ = content.rpartition(_CHECKSUM)
        if mark and fields.pop("crc") != crc32(before):
            return None
        if (schema := fields.pop("schema", 0)) > VERSION:
            raise too_new(schema)
        vectors = fields.pop("vectors", None)
        manifest = Manifest(**fields, vectors=SnapshotVectors(**vectors) if vectors else None)
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    numbers = (manifest.batch, manifest.base, manifest.journal_bytes, manifest.base_bytes, manifest.delta_bytes)
    optional = (manifest.delta, manifest.journal, manifest.written)
    is_valid = all(type(number) is int for number in (*numbers, *(value for value in optional if value is not None)))
    return manifest if is_valid else None


def newest_base(data: DataDir) -> Manifest | None:
    """The newest base on the disk, for an index without a valid `CURRENT`; None if there is none."""
    numbers = [int(path.stem) for path in data.snapshots.glob("*.duckdb") if path.stem.isdigit()]
    return Manifest(max(numbers), max(numbers)) if numbers else None


def write_manifest(data: DataDir, manifest: Manifest) -> None:
    """Make a snapshot the newest one."""
    vectors = manifest.vectors._asdict() if manifest.vectors else None
    content = json.dumps({**manifest._asdict(), "vectors": vectors, "schema": VERSION}).encode()[:-1]
    fault_point("snapshot-written")
    write_atomically(data.current, b"%s%s%d}" % (content, _CHECKSUM, crc32(content)), durable=True)
