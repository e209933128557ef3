"""`CURRENT`: which files together are the newest snapshot.

A snapshot is a base (a database with everything), a delta (a database with what changed since the base) and a journal
(lines of what changed since the delta). Base and delta never change; of the journal only the first `journal_bytes`
count, and these never change either. The vectors lie in files of their own. All are named in one small file, which is
replaced by a rename, so a reader sees one state or the next, never a mixture.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from memtui_core.store.files import DataDir, write_whole


class VectorsAt(NamedTuple):
    """The vectors of a snapshot: the first `size` of a file."""

    file: int
    model: str
    dimension: int
    size: int


class Manifest(NamedTuple):
    """The parts of one snapshot; files are known by their numbers."""

    batch: int
    """Number of the last batch of changes that it holds."""
    base: int
    delta: int | None = None
    journal: int | None = None
    journal_bytes: int = 0
    base_bytes: int = 0
    """Size of the base; 0 when an earlier version did not write it down. One that has another is damaged."""
    delta_bytes: int = 0
    vectors: VectorsAt | None = None
    base_at: float = 0.0
    """When the base was written, in seconds since 1970; 0 when that is not known."""
    published_at: float = 0.0
    indexer_since: float = 0.0
    """When the indexer that published it was started."""
    written: int | None = None
    """Bytes that this indexer has written since; None where the system does not count them."""

    def files(self, data: DataDir) -> set[Path]:
        """The files of base, delta, journal and vectors."""
        found = {data.base(self.base)}
        if self.delta is not None:
            found.add(data.delta(self.delta))
        if self.journal is not None:
            found.add(data.journal(self.journal))
        if self.vectors is not None:
            found |= {data.vectors(self.vectors.file), data.vector_hashes(self.vectors.file)}
        return found

    def with_base(self, batch: int, size: int, at: float) -> Manifest:
        """After everything was written to a new base."""
        return self.with_delta(batch, None, 0)._replace(base=batch, base_bytes=size, base_at=at)

    def with_delta(self, batch: int, delta: int | None, size: int) -> Manifest:
        """After the journal was written to a new delta."""
        return self._replace(batch=batch, delta=delta, delta_bytes=size, journal=None, journal_bytes=0)


def read_manifest(data: DataDir) -> Manifest | None:
    """The newest snapshot; None when nothing was published yet, or what stands there cannot be read.

    Earlier versions wrote a bare number: a base and nothing beside it.
    """
    try:
        found: Any = json.loads(data.current.read_bytes())
        if type(found) is int:
            return Manifest(found, found)
        vectors = found.pop("vectors", None)
        manifest = Manifest(**found, vectors=VectorsAt(**vectors) if vectors else None)
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    numbers = (manifest.batch, manifest.base, manifest.journal_bytes, manifest.base_bytes, manifest.delta_bytes)
    optional = (manifest.delta, manifest.journal, manifest.written)
    whole = all(type(one) is int for one in (*numbers, *(one for one in optional if one is not None)))
    return manifest if whole else None


def newest_base(data: DataDir) -> Manifest | None:
    """The newest base that is there, for when `CURRENT` is lost; None when there is none."""
    numbers = [int(path.stem) for path in data.snapshots.glob("*.duckdb") if path.stem.isdigit()]
    return Manifest(max(numbers), max(numbers)) if numbers else None


def write_manifest(data: DataDir, manifest: Manifest) -> None:
    """Make it the newest snapshot."""
    vectors = manifest.vectors._asdict() if manifest.vectors else None
    write_whole(data.current, json.dumps(manifest._asdict() | {"vectors": vectors}).encode(), durable=True)
