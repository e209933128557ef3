"""The indexer: the one process that writes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from memtui_core.embed import Embedder
from memtui_core.errors import IndexerBusy, MemtuiError
from memtui_core.ingest.batch import Batch
from memtui_core.ingest.discover import Pending, known_sources, plan
from memtui_core.ingest.embedding import Embedding
from memtui_core.ingest.lexicon_sync import catch_up
from memtui_core.ingest.linking import link
from memtui_core.ingest.source import Stopped, ingest_source
from memtui_core.lexicon import LexiconWriter
from memtui_core.model import Progress
from memtui_core.places import FoundFile, Place
from memtui_core.progress import write_progress
from memtui_core.store import vectors
from memtui_core.store.files import DataDir
from memtui_core.store.work import Work

REPORT_EVERY = 0.1
"""Seconds between two reports of progress."""
LOCK_POLL = 0.2
"""Seconds between two looks at whether to stop waiting for another indexer."""


@dataclass(slots=True)
class Counts:
    """How much work an indexer did since it was opened."""

    files_read: int = 0
    turns_written: int = 0
    blocks_written: int = 0
    documents_written: int = 0
    texts_embedded: int = 0
    snapshots: int = 0


class Indexer:
    """Holds the data folder for writing until it is closed.

    Raises MemtuiError when it cannot be made, and IndexerBusy when another process holds it for longer than `wait`
    seconds, or until `stopped` says so.
    """

    def __init__(self, data_dir: Path, wait: float = 0, stopped: Callable[[], bool] = lambda: False) -> None:
        self.data = DataDir(data_dir)
        try:
            data_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MemtuiError(f"The data folder {data_dir} cannot be made: {error.strerror}.") from error
        self._lock = FileLock(self.data.lock)
        _acquire(self._lock, time.monotonic() + wait, stopped)
        try:
            self.work = Work(self.data)
            self.lexicon = LexiconWriter(self.data.lexicon)
            if self.work.lost:
                self.lexicon.clear()
        except BaseException:
            self._lock.release()
            raise
        self.batch = Batch(self.work)
        self.counts = Counts()
        self._retitled: set[int] = set()
        self._dirty = False

    def __enter__(self) -> Indexer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the index for others."""
        self.lexicon.close()
        self.work.close()
        self._lock.release()

    def update(self, places: Sequence[Place], stopped: Callable[[], bool] = lambda: False) -> Iterator[Progress]:
        """Bring the index up to date with the places, newest sessions first; yields progress by time.

        Unchanged sources cost a look at their size and time, and nothing is written for them. When `stopped` says so
        it ends within the time of one chunk; what was read completely stays.
        """
        todo = plan(self.work, places)
        reading = deque(item for item in todo.pending if item.file.path.suffix == ".jsonl")
        others = [item for item in todo.pending if item.file.path.suffix != ".jsonl"]
        total, done, read = sum(item.to_read for item in reading), 0, 0
        self._record_others(others, todo.gone, todo.back)
        self.batch.expect(len(reading))
        yield self._say(Progress(0, total, 0))
        reported = time.monotonic()
        while reading and not stopped():
            item = reading.popleft()
            try:
                self._read(item, reading, stopped)
            except Stopped:
                break
            done, read = done + item.to_read, read + 1
            if self.work.due:
                self.publish()
            if time.monotonic() - reported >= REPORT_EVERY:
                reported = time.monotonic()
                yield self._say(Progress(min(done, total), total, read, str(item.file.path)))
        self.publish(complete=not reading)
        yield self._say(Progress(min(done, total), total, read, finished=not reading))

    def embed(self, embedder: Embedder, stopped: Callable[[], bool] = lambda: False) -> Iterator[Progress]:
        """Make the vectors that are missing, the newest turns first; yields progress by time.

        Ends when all turns have theirs or `stopped` says so; what was made stays.
        """
        embedding = Embedding(self.work, embedder)
        total, done = embedding.pending(), 0
        for turns in embedding.run(stopped):
            self._change()
            done += turns
            if self.work.due:
                self.publish()
            yield self._say(Progress(done, total, 0, stage="embedding"))
        self.counts.texts_embedded += embedding.embedded
        if total and not stopped():
            vectors.drop_unused(self.work)
        self.publish()
        yield self._say(Progress(done, total, 0, finished=not stopped(), stage="embedding"))

    def publish(self, *, complete: bool = False) -> None:
        """Commit to the lexicon what the store has taken in, then show both to readers; nothing when nothing changed.

        `complete` when every file that changed was read.
        """
        if not self._dirty and self.lexicon.batch == self.work.batch == self.work.published:
            return
        self.batch.commit()
        if self._dirty:
            self._retitle(self._retitled | link(self.work, self.batch.sessions, complete=complete))
            self._retitled = set()
        started = time.monotonic()
        self.counts.documents_written += catch_up(self.work, self.lexicon)
        self.work.publish(started)
        self.counts.snapshots += 1
        self._dirty = False

    def _read(self, item: Pending, reading: deque[Pending], stopped: Callable[[], bool]) -> None:
        self._change()
        outcome = ingest_source(self.batch, item, stopped)
        self.counts.files_read += 1
        self.counts.turns_written += outcome.turns
        self.counts.blocks_written += outcome.blocks
        self._retitled |= outcome.retitled
        if outcome.displaced:
            self.batch.commit()
            known = {source.id: source for source in known_sources(self.work).values()}
            for source in (known[number] for number in outcome.displaced):
                with suppress(OSError):
                    stat = Path(source.path).stat()
                    found = FoundFile(item.file.agent, Path(source.path), stat.st_size, stat.st_mtime_ns)
                    reading.appendleft(Pending(found, source.from_start(), settled=True))

    def _change(self) -> None:
        if not self._dirty:
            self.work.begin_batch()
            self._dirty = True

    def _retitle(self, keys: set[int]) -> None:
        """The title stands in the document of the first turn, which must be written again."""
        if keys:
            self.work.connection.execute(
                "UPDATE turns SET batch = ? WHERE number = 1 AND list_contains(?, session)",
                [self.work.batch, sorted(keys)],
            )

    def _record_others(self, others: Sequence[Pending], gone: Sequence[int], back: Sequence[int]) -> None:
        if not (others or gone or back):
            return
        self._change()
        connection = self.work.connection
        self.batch.begin(alone=True)
        for item in others:
            if item.known:
                connection.execute("DELETE FROM sources WHERE id = ?", [item.known.id])
            number = item.known.id if item.known else self.batch.next_id("sources")
            reason = f"not a transcript: {item.file.path.suffix or 'no suffix'}"
            self.batch.put(
                "sources", number, str(item.file.path), item.file.agent, "ignored", None, item.file.size,
                item.file.mtime, 0, 0, 0, "", 0, reason, time.time_ns() // 1000,
            )  # fmt: skip
        for source in gone:
            connection.execute("UPDATE sources SET gone_at = now()::TIMESTAMP WHERE id = ?", [source])
        for source in back:
            connection.execute("UPDATE sources SET gone_at = NULL WHERE id = ?", [source])
        self.batch.finish()

    def _say(self, progress: Progress) -> Progress:
        write_progress(self.data.path, progress)
        return progress


def _acquire(lock: FileLock, until: float, stopped: Callable[[], bool]) -> None:
    while True:
        try:
            lock.acquire(timeout=LOCK_POLL if time.monotonic() < until else 0)
            return
        except Timeout as error:
            if stopped() or time.monotonic() >= until:
                raise IndexerBusy(f"Another memtui is indexing into {Path(lock.lock_file).parent}.") from error
