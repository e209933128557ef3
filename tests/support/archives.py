"""Indexes whose transcripts are archived, and deleted."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.kept.transcripts import TranscriptKeeper
from memtui_core.readers.exclusions import KEEP_ALL, NOTHING, Exclusions, RetentionRules
from memtui_core.readers.locations import Location
from support.indexes import update

DAY = 86_400


@contextmanager
def keeper(
    data_dir: Path,
    *locations: Location,
    exclusions: Exclusions = NOTHING,
    rules: RetentionRules = KEEP_ALL,
    clock: Callable[[], float] = time.time,
) -> Iterator[TranscriptKeeper]:
    """What archives the transcripts of an index; `clock` returns seconds since 1970."""
    with Indexer(data_dir) as indexer:
        yield TranscriptKeeper(indexer.work, indexer.data, locations, exclusions, rules, clock)


def age(path: Path, days: float) -> None:
    """Make a file look as if it was changed last so many days ago."""
    at = time.time() - days * DAY
    os.utime(path, (at, at))


def archived_index(data_dir: Path, *sources: Path, agent: str | None = "claude-code", days: float = 1) -> Index:
    """An index of files or folders whose transcripts are archived."""
    for source in sources:
        for path in source.rglob("*") if source.is_dir() else [source]:
            if path.is_file():
                age(path, days)
    update(data_dir, *sources, agent=agent)
    with keeper(data_dir) as kept:
        kept.archive_settled()
    return Index.open(data_dir)
