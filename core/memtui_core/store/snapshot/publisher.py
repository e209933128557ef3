"""Publish what the indexer has committed, writing as few bytes as possible, and not more often than is useful.

A small change adds a line to the journal. When the journal is full, the changes since the base are written into a new
delta, and when that is too large in relation to the base into a new base: the cost of each rewrite is spread over the
changes that caused it. After a new base the work database starts again as an empty overlay.

Snapshots are made soon at the beginning and if publishing takes little time, otherwise later. While no process reads
the index they are rare, because nobody would see them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import duckdb

from memtui_core.store.data_folder import DataDir
from memtui_core.store.schema import VERSION, meta_of
from memtui_core.store.snapshot import journal
from memtui_core.store.snapshot.databases import write_delta
from memtui_core.store.snapshot.layers import attach
from memtui_core.store.snapshot.manifest import Manifest, SnapshotVectors, read_manifest, write_manifest
from memtui_core.store.work.database import WorkDatabase
from memtui_core.system.fault_points import fault_point

JOURNAL_LIMIT = 1_000_000
"""The largest journal, in bytes. Every reader that starts reads all of it, which takes about 10 ms."""
SMALLEST_LIMIT = 4_000_000
LARGEST_LIMIT = 16_000_000
SHARE_OF_BASE: Final = 10
"""A delta may grow to a tenth of the base, within these two limits in bytes."""
MOST_RECORDED: Final = 30_000_000
"""The most bytes of transcripts of which the changes are recorded in memory."""
FEWEST_TIDIED = 960_000
"""Bytes of delta and journal below which an idle indexer writes no new base."""
LARGEST_LOG: Final = 500_000
"""Bytes of the log of the work database that an idle indexer leaves."""
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
        schema: int | None = VERSION
        if self.published is not None and not self._is_attached(self.published):
            schema = _schema_of(self._data, self.published)
        self._is_damaged = schema is None
        """Whether the next snapshot needs a new base, because a part of the newest one cannot be read."""
        if schema is None or schema < VERSION:
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

    def publish(self, vectors: SnapshotVectors | None, *, final: bool = True) -> None:
        """Publish the changes since the last snapshot, under the number of the batch.

        With `final`, much more is not expected soon: a whole work database becomes the base and need not be copied. If
        publishing fails, for example because the disk is full, the next snapshot gets a new base or delta.
        """
        try:
            self._publish(self._next_manifest(final=final), vectors)
        except BaseException:
            self._work.changes.discard()
            raise

    def _next_manifest(self, *, final: bool) -> Manifest:
        """Write the files of the next snapshot."""
        before, work, changes = self.published, self._work, self._work.changes
        if before is not None and not changes.incomplete:
            line = journal.encode_batch(work.batch, changes.take())
            if before.journal_bytes + len(line) <= JOURNAL_LIMIT:
                number = before.batch if before.journal is None else before.journal
                size = journal.append(self._data.journal(number), before.journal_bytes, line)
                return before._replace(batch=work.batch, journal=number, journal_bytes=size)
        if work.base is None:
            return self._new_base(before, by_move=final)
        if self._is_damaged or self._is_large(before):
            return self._new_base(before)
        changes.take()
        if before is None or before.base != work.base:
            # A process died after it had written the base.
            before = _with_base(before, work.batch, self._data.base(work.base))._replace(base=work.base)
        if not work.has_changes:
            return before.with_delta(work.batch, None, 0)
        return before.with_delta(work.batch, work.batch, write_delta(work.connection, self._data, work.batch))

    def _is_large(self, before: Manifest | None) -> bool:
        """Whether the changes of an overlay are too large for a delta."""
        work = self._work
        if before is None or before.base != work.base or work.changes.incomplete:
            # It costs less to write all of it once than to estimate it.
            return work.size > SMALLEST_LIMIT
        return before.delta_bytes > self._delta_limit(before)

    def tidy(self) -> bool:
        """Write a new base if delta and journal are large enough for an idle indexer; True if one was written.

        Then remove the files that no snapshot needs, and the log of the work database.
        """
        before, work, is_written = self.published, self._work, False
        if before is not None and not (work.changes.size or work.changes.incomplete):
            changed_bytes = before.delta_bytes + before.journal_bytes
            is_large = changed_bytes * IDLE_SHARE >= self._base_size(before) and changed_bytes >= FEWEST_TIDIED
            if work.base is None and changed_bytes == 0 and work.batch == before.batch:
                work.rebase(before.base)
            elif work.base is None or is_large:
                self._publish(self._new_base(before, by_move=True), before.vectors)
                is_written = True
        if work.log_size > LARGEST_LOG:
            work.checkpoint()
        # Vectors may be in files that are not published yet.
        self._remove_old(None, [self._data.snapshots])
        return is_written

    def _new_base(self, before: Manifest | None, *, by_move: bool = False) -> Manifest:
        work, batch = self._work, self._work.batch
        if work.base is None and by_move:
            work.hand_over()
        else:
            work.write_base(compact=self._is_damaged)
        work.changes.take()
        self._is_damaged = False
        return _with_base(before, batch, self._data.base(batch))

    def _publish(self, manifest: Manifest, vectors: SnapshotVectors | None) -> None:
        before = self.published
        self.published = manifest._replace(
            vectors=vectors,
            published_at=time.time(),
            indexer_since=self._since,
            written=bytes_written(),
        )
        write_manifest(self._data, self.published)
        fault_point("snapshot-published")
        if self._work.base is not None and self._work.base != manifest.base:
            self._work.rebase(manifest.base)
        fault_point("work-follows-snapshot")
        self._remove_old(before)
        fault_point("old-snapshot-removed")

    def remove_previous(self) -> None:
        """Remove the files of all snapshots but the newest."""
        self._remove_old(None)

    def _remove_old(self, before: Manifest | None, folders: Sequence[Path] | None = None) -> None:
        """Remove unused files, but not those of the previous snapshot: a reader may be about to open them."""
        kept = {path for manifest in (before, self.published) if manifest for path in manifest.files(self._data)}
        if self._work.base is not None:
            kept.add(self._data.base(self._work.base))
        folders = folders or (self._data.snapshots, self._data.vectors(0).parent)
        for path in [path for folder in folders if folder.is_dir() for path in folder.iterdir()]:
            if path not in kept and path != self._data.current:
                # On systems on which open files cannot be removed, the next publication tries again.
                with suppress(OSError):
                    path.unlink()

    def _is_attached(self, manifest: Manifest) -> bool:
        """Whether a snapshot is nothing but the base that an overlay has attached, which is of the newest schema."""
        is_base = manifest.base == self._work.base and manifest.delta is None and manifest.journal is None
        return is_base and self._data.base(manifest.base).stat().st_size == self._base_size(manifest)

    def _base_size(self, manifest: Manifest) -> int:
        """The size of the base, which earlier versions did not record."""
        return manifest.base_bytes or self._data.base(manifest.base).stat().st_size

    def _delta_limit(self, manifest: Manifest) -> int:
        return min(max(self._base_size(manifest) // SHARE_OF_BASE, SMALLEST_LIMIT), LARGEST_LIMIT)


def _with_base(before: Manifest | None, batch: int, path: Path) -> Manifest:
    """The manifest of a batch that is all in a new base."""
    return (before or Manifest(batch, batch)).with_base(batch, path.stat().st_size, time.time())


def _schema_of(data: DataDir, manifest: Manifest) -> int | None:
    """The number of the schema of a snapshot; None if readers cannot open it."""
    with duckdb.connect(":memory:") as connection:
        try:
            attach(connection, data, manifest)
        except (duckdb.Error, OSError, ValueError):
            return None
        return int(meta_of(connection, "base").get("schema", 0))


def bytes_written() -> int | None:
    """Bytes that this process has written, in whole pages; None if the system does not count them (only Linux does)."""
    try:
        for line in Path("/proc/self/io").read_text("utf-8").splitlines():
            name, _, count = line.partition(":")
            if name == "write_bytes":
                return int(count)
    except (OSError, ValueError):
        pass
    return None


FIRST_PAUSE: Final = 0.5
"""Seconds until the first snapshot; one with fewer sessions would not be ready much sooner."""
SHORTEST_PAUSE: Final = 1.0
"""Seconds between two snapshots while much is read."""
PUBLISH_SHARE: Final = 20
"""The pause is so many times as long as the last snapshot took, lexicon included, within the limits."""
LONGEST_PAUSE: Final = 60.0
"""The most seconds between two snapshots."""
UNREAD_PAUSE: Final = 5.0
"""The least seconds without a snapshot, from the beginning on, while no process reads the index."""


class PublishSchedule:
    """Decides when the next snapshot is due; `clock` returns seconds, `is_read` whether a process reads the index."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, is_read: Callable[[], bool] = lambda: True) -> None:
        self._clock = clock
        self._is_read = is_read
        self._begun = clock()
        self._last = float("-inf")
        self._pause = SHORTEST_PAUSE

    def begin(self) -> None:
        """Start to count: much may be read from now on."""
        self._begun = self._clock()

    @property
    def age(self) -> float:
        """Seconds since the last snapshot."""
        return self._clock() - self._last

    @property
    def due(self) -> bool:
        """Whether enough time has passed since the last snapshot."""
        without = min(self._clock() - self._begun, self.age)
        if without < FIRST_PAUSE or self.age < self._pause:
            return False
        return without >= UNREAD_PAUSE or self._is_read()

    def published(self, started: float) -> None:
        """A snapshot was made; `started` is the time at which the work for it began."""
        self._last = self._clock()
        # No pause is longer than the time since the beginning, so that the first list soon becomes longer.
        longest = min(LONGEST_PAUSE, self._last - self._begun)
        self._pause = max(SHORTEST_PAUSE, min(PUBLISH_SHARE * (self._last - started), longest))
