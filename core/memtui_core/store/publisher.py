"""Publish what the indexer has committed, writing as few bytes as possible.

A small change adds a line to the journal. A full journal is written into a new delta, and a delta that is too large in
relation to the base is replaced by a new base: the cost of each rewrite is spread over the changes that caused it.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Final

import duckdb

from memtui_core.store import journal
from memtui_core.store.bytes_written import bytes_written
from memtui_core.store.delta import write_delta
from memtui_core.store.files import DataDir, copy_atomically
from memtui_core.store.layers import attach
from memtui_core.store.manifest import Manifest, SnapshotVectors, read_manifest, write_manifest
from memtui_core.store.work_database import WorkDatabase

JOURNAL_LIMIT = 1_000_000
"""The largest journal, in bytes. Every reader that starts reads all of it, which takes about 10 ms."""
SMALLEST_LIMIT = 4_000_000
LARGEST_LIMIT = 16_000_000
SHARE_OF_BASE: Final = 10
"""A delta may grow to a tenth of the base, within these two limits in bytes."""
MOST_RECORDED: Final = 30_000_000
"""The most bytes of transcripts of which the changes are recorded in memory."""
IDLE_SHARE: Final = 50
"""An idle indexer writes a new base for a delta of a fiftieth of the base."""


class Publisher:
    """Writes the snapshots of one work database."""

    def __init__(self, work: WorkDatabase) -> None:
        self._work = work
        self._data = work.data
        self._since = time.time()
        self.published = read_manifest(self._data)
        """The newest snapshot; None before the first one."""
        if self.published is not None and not _is_readable(self._data, self.published):
            work.changes.discard()

    @property
    def batch(self) -> int | None:
        """The batch of the newest snapshot; None before the first one."""
        return self.published.batch if self.published else None

    @property
    def recording_limit(self) -> int:
        """The number of bytes of transcripts above which a new base costs less than recording the changes."""
        if self.published is None or self._work.changes.incomplete:
            return 0
        return min(max(SMALLEST_LIMIT * 2, self._base_size(self.published) // 5), MOST_RECORDED)

    def publish(self, vectors: SnapshotVectors | None) -> None:
        """Publish the changes since the last snapshot, under the number of the batch.

        If that fails, for example because the disk is full, the next snapshot gets a new base.
        """
        try:
            self._publish(self._next_manifest(), vectors)
        except BaseException:
            self._work.changes.discard()
            raise

    def _next_manifest(self) -> Manifest:
        """Write the files of the next snapshot."""
        before, changes, batch = self.published, self._work.changes, self._work.batch
        if before is None or changes.incomplete:
            return self._new_base(before)
        line = journal.encode_batch(batch, changes.take())
        if before.journal_bytes + len(line) <= JOURNAL_LIMIT:
            number = before.batch if before.journal is None else before.journal
            size = journal.append(self._data.journal(number), before.journal_bytes, line)
            return before._replace(batch=batch, journal=number, journal_bytes=size)
        if before.delta_bytes > self._delta_limit(before):
            return self._new_base(before)
        journaled = journal.Changes()
        if before.journal is not None:
            journaled = journal.read(self._data.journal(before.journal), before.journal_bytes)
        journaled.apply(line)
        return before.with_delta(batch, batch, write_delta(self._data, batch, before, journaled))

    def tidy(self) -> bool:
        """Write a new base if delta and journal are large enough for an idle indexer; True if one was written."""
        before = self.published
        if before is None or self._work.changes.size or self._work.changes.incomplete:
            return False
        changed_bytes = before.delta_bytes + before.journal_bytes
        if changed_bytes * IDLE_SHARE < self._base_size(before) or changed_bytes < JOURNAL_LIMIT:
            return False
        self._publish(self._new_base(before), before.vectors)
        return True

    def _new_base(self, before: Manifest | None) -> Manifest:
        self._work.checkpoint()
        batch = self._work.batch
        copy_atomically(self._data.work, self._data.base(batch))
        self._work.changes.take()
        size = self._data.base(batch).stat().st_size
        return (before or Manifest(batch, batch)).with_base(batch, size, time.time())

    def _publish(self, manifest: Manifest, vectors: SnapshotVectors | None) -> None:
        before = self.published
        self.published = manifest._replace(
            vectors=vectors,
            published_at=time.time(),
            indexer_since=self._since,
            written=bytes_written(),
        )
        write_manifest(self._data, self.published)
        self._remove_old(before)

    def remove_previous(self) -> None:
        """Remove the files of all snapshots but the newest."""
        self._remove_old(None)

    def _remove_old(self, before: Manifest | None) -> None:
        """Remove unused files, but not those of the previous snapshot: a reader may be about to open them."""
        kept = {path for manifest in (before, self.published) if manifest for path in manifest.files(self._data)}
        folders = (self._data.snapshots, self._data.vectors(0).parent)
        for path in [path for folder in folders if folder.is_dir() for path in folder.iterdir()]:
            if path not in kept and path != self._data.current:
                # On systems on which open files cannot be removed, the next publication tries again.
                with suppress(OSError):
                    path.unlink()

    def _base_size(self, manifest: Manifest) -> int:
        """The size of the base, which earlier versions did not record."""
        return manifest.base_bytes or self._data.base(manifest.base).stat().st_size

    def _delta_limit(self, manifest: Manifest) -> int:
        return min(max(self._base_size(manifest) // SHARE_OF_BASE, SMALLEST_LIMIT), LARGEST_LIMIT)


def _is_readable(data: DataDir, manifest: Manifest) -> bool:
    """Whether readers can open a snapshot."""
    with duckdb.connect(":memory:") as connection:
        try:
            attach(connection, data, manifest)
        except (duckdb.Error, OSError, ValueError):
            return False
        return True
