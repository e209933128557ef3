"""Make what the indexer has committed visible to readers, for as few bytes as that takes.

A small change is a line more in the journal. A full journal is written into a new delta, and a delta that has grown too
large beside the base makes a new base due: the cost of each rewrite is spread over what led to it.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Final

import duckdb

from memtui_core.store import journal
from memtui_core.store.delta import write_delta
from memtui_core.store.files import DataDir, copy_whole
from memtui_core.store.layers import attach
from memtui_core.store.manifest import Manifest, VectorsAt, read_manifest, write_manifest
from memtui_core.store.work import Work
from memtui_core.store.written import bytes_written

JOURNAL_ROOM = 1_000_000
"""Bytes of the journal. Every reader that starts reads all of it, which takes some 10 ms."""
SMALLEST_LIMIT = 4_000_000
LARGEST_LIMIT = 16_000_000
SHARE_OF_BASE: Final = 10
"""A delta may grow to a tenth of the base, within these two limits, which are bytes."""
MOST_RECORDED: Final = 30_000_000
"""Bytes of transcripts that are not read into memory as changes."""
IDLE_SHARE: Final = 50
"""When nothing else is to do, a delta of a fiftieth of the base is worth a new base."""


class Publisher:
    """Writes the snapshots of one work database."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._data = work.data
        self._since = time.time()
        self.published = read_manifest(self._data)
        """The newest snapshot; None before the first."""
        if self.published is not None and not _readable(self._data, self.published):
            work.changes.lose()

    @property
    def batch(self) -> int | None:
        """The batch of the newest snapshot; None before the first."""
        return self.published.batch if self.published else None

    @property
    def cheaper_anew(self) -> int:
        """Bytes of transcripts from which on a new base costs less than to record what they change."""
        if self.published is None or self._work.changes.whole:
            return 0
        return min(max(SMALLEST_LIMIT * 2, self._base_size(self.published) // 5), MOST_RECORDED)

    def publish(self, vectors: VectorsAt | None) -> None:
        """Publish what was changed since the last snapshot, under the number of the batch.

        When that fails, for want of room on the disk, the next snapshot has a base of its own.
        """
        try:
            self._publish(self._next(), vectors)
        except BaseException:
            self._work.changes.lose()
            raise

    def _next(self) -> Manifest:
        before, changes, batch = self.published, self._work.changes, self._work.batch
        if before is None or changes.whole:
            return self._new_base(before)
        line = journal.line_of(batch, changes.take())
        if before.journal_bytes + len(line) <= JOURNAL_ROOM:
            number = before.batch if before.journal is None else before.journal
            size = journal.append(self._data.journal(number), before.journal_bytes, line)
            return before._replace(batch=batch, journal=number, journal_bytes=size)
        if before.delta_bytes > self._limit(before):
            return self._new_base(before)
        held = journal.Changes()
        if before.journal is not None:
            held = journal.read(self._data.journal(before.journal), before.journal_bytes)
        held.apply(line)
        return before.with_delta(batch, batch, write_delta(self._data, batch, before, held))

    def tidy(self) -> bool:
        """Nothing else is to do: write a new base if enough has gathered beside it; True when one was written."""
        before = self.published
        if before is None or self._work.changes.size or self._work.changes.whole:
            return False
        beside = before.delta_bytes + before.journal_bytes
        if beside * IDLE_SHARE < self._base_size(before) or beside < JOURNAL_ROOM:
            return False
        self._publish(self._new_base(before), before.vectors)
        return True

    def _new_base(self, before: Manifest | None) -> Manifest:
        self._work.checkpoint()
        batch = self._work.batch
        copy_whole(self._data.work, self._data.base(batch))
        self._work.changes.take()
        size = self._data.base(batch).stat().st_size
        return (before or Manifest(batch, batch)).with_base(batch, size, time.time())

    def _publish(self, manifest: Manifest, vectors: VectorsAt | None) -> None:
        before = self.published
        self.published = manifest._replace(
            vectors=vectors,
            published_at=time.time(),
            indexer_since=self._since,
            written=bytes_written(),
        )
        write_manifest(self._data, self.published)
        self._remove_old(before)

    def _remove_old(self, before: Manifest | None) -> None:
        """Keep the files of the snapshot before: a reader may have read their names and not opened them yet."""
        kept = {path for one in (before, self.published) if one for path in one.files(self._data)}
        folders = (self._data.snapshots, self._data.vectors(0).parent)
        for path in [path for folder in folders if folder.is_dir() for path in folder.iterdir()]:
            if path not in kept and path != self._data.current:
                # Where files that are open cannot be removed, the next publication tries again.
                with suppress(OSError):
                    path.unlink()

    def _base_size(self, manifest: Manifest) -> int:
        """Earlier versions did not write it down."""
        return manifest.base_bytes or self._data.base(manifest.base).stat().st_size

    def _limit(self, manifest: Manifest) -> int:
        return min(max(self._base_size(manifest) // SHARE_OF_BASE, SMALLEST_LIMIT), LARGEST_LIMIT)


def _readable(data: DataDir, manifest: Manifest) -> bool:
    """Whether readers can open a snapshot."""
    with duckdb.connect(":memory:") as connection:
        try:
            attach(connection, data, manifest)
        except (duckdb.Error, OSError, ValueError):
            return False
        return True
