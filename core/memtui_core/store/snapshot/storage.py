"""The sizes of the parts of the newest snapshot, and the cost of keeping it current (`memtui doctor`)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Storage:
    """Sizes in bytes; times in UTC, None if an earlier version did not record them."""

    base: int
    base_at: datetime | None
    """When the base, which contains everything, was last written."""
    delta: int
    journal: int
    vectors: int
    lexicon: int
    work: int
    """Of the work database, which only the indexer opens."""
    published_at: datetime | None
    indexer_since: datetime | None
    """When the indexer that published last was started."""
    written: int | None
    """The number of bytes that this indexer had written by then; None if the system does not count them."""
    archive: int = 0
    """Of what is kept of transcripts that agents delete."""


def storage_of(data: DataDir, manifest: Manifest) -> Storage:
    """The sizes of the parts of a snapshot; 0 for a part that was deleted meanwhile."""
    vectors = manifest.vectors
    vector_files = data.vector_files(vectors.file) if vectors else ()
    return Storage(
        base=_size(data.base(manifest.base)),
        base_at=_time(manifest.base_at),
        delta=_size(data.delta(manifest.delta)) if manifest.delta is not None else 0,
        journal=manifest.journal_bytes,
        vectors=sum(map(_size, vector_files)),
        lexicon=sum(map(_size, data.lexicon.iterdir())) if data.lexicon.is_dir() else 0,
        work=_size(data.work) + _size(data.work_log),
        published_at=_time(manifest.published_at),
        indexer_since=_time(manifest.indexer_since),
        written=manifest.written,
        archive=sum(map(_size, data.archive.iterdir())) if data.archive.is_dir() else 0,
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _time(seconds: float) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds else None
