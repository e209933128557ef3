"""The indexer: the one process that writes."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from memtui_core.embed import Embedder
from memtui_core.errors import IndexerBusy, MemtuiError
from memtui_core.ingest.backlog import Backlog
from memtui_core.ingest.batch import Batch
from memtui_core.ingest.discover import NO_FILE, Pending, Plan, known_sources, plan
from memtui_core.ingest.embedding import Embedding
from memtui_core.ingest.lexicon_sync import LexiconSync
from memtui_core.ingest.linking import link
from memtui_core.ingest.pace import Pace
from memtui_core.ingest.source import LiveSources, Stopped, ingest_source
from memtui_core.lexicon import LexiconWriter
from memtui_core.model import Progress
from memtui_core.readers.places import FoundFile, Place
from memtui_core.store.files import DataDir
from memtui_core.store.presence import TypingPause
from memtui_core.store.progress import write_progress
from memtui_core.store.publisher import Publisher
from memtui_core.store.tables import among
from memtui_core.store.vector_files import note_generation
from memtui_core.store.vectors import open_vectors, prepare
from memtui_core.store.work import Work
from memtui_core.system.failures import failure_text

_log = logging.getLogger(__name__)
REPORT_EVERY = 0.1
"""Seconds between two reports of progress."""
MUCH = 1_000_000
"""Bytes of changed files from which on reading them is reported; fewer are read before somebody looks."""
VECTORS_EVERY = 120.0
"""Seconds between two snapshots while only vectors are made: a search waits for words, not for these."""
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
            raise MemtuiError(failure_text(error, data_dir)) from error
        self._lock = FileLock(self.data.lock)
        _acquire(self._lock, time.monotonic() + wait, stopped)
        try:
            self.work = Work(self.data)
            self.lexicon = LexiconWriter(self.data.lexicon)
            if self.work.lost:
                _log.warning("The index in %s was taken back to its last snapshot: %s", data_dir, self.work.lost)
                self.lexicon.clear()
        except BaseException:
            self._lock.release()
            raise
        self.publisher = Publisher(self.work)
        self.batch = Batch(self.work, self.publisher.batch or 0)
        self.counts = Counts()
        self.pace = Pace()
        self.pause = TypingPause(self.data)
        """What vectors wait for between two pieces."""
        self._sync = LexiconSync(self.work, self.lexicon)
        self._live = LiveSources()
        published = self.publisher.published
        self._vectors = open_vectors(self.work, published.vectors if published else None)
        self._embedding: Embedding | None = None
        self._backlog: Backlog | None = None
        self._unembedded: list[int] = []
        """Turns written that the backlog does not know of."""
        self._changed_at: dict[int, float] = {}
        """When each of the last turns was written, in monotonic seconds."""
        self._retitled: set[int] = set()
        self._to_link = True
        self._tidied = 0
        """How many vectors there were when unused ones were looked for."""

    def __enter__(self) -> Indexer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
            return
        # What fails now follows from the error that ended the work, which is the one to tell.
        with suppress(Exception):
            self.close()

    def close(self) -> None:
        """Release the index for others."""
        with ExitStack() as stack:
            stack.callback(self._lock.release)
            stack.callback(self.work.close)
            stack.callback(self.lexicon.close)

    def update(
        self,
        places: Sequence[Place],
        stopped: Callable[[], bool] = lambda: False,
        changed: Collection[Path] | None = None,
    ) -> Iterator[Progress]:
        """Bring the index up to date with the places, newest sessions first; yields progress by time.

        Unchanged sources cost a look at their size and time, and nothing is written for them; with `changed` only these
        files and folders are looked at, and progress is yielded only where they are large. When `stopped` says so it
        ends within the time of one chunk; what was read completely stays.
        """
        todo = plan(self.work, places, changed)
        reading = deque(item for item in todo.pending if item.file.path.suffix == ".jsonl")
        others = [item for item in todo.pending if item.file.path.suffix != ".jsonl"]
        total, done, read = sum(item.to_read for item in reading), 0, 0
        if total > self.publisher.cheaper_anew:
            self.work.changes.lose()
        self._record_others(others, todo)
        self.batch.expect(len(reading))
        told = changed is None or total >= MUCH
        if told and (total or (self._backlog is None and not self._published)):
            yield self._say(Progress(0, total, 0))
        reported = time.monotonic()
        while reading and not stopped():
            item = reading.popleft()
            try:
                self._read(item, reading, stopped)
            except Stopped:
                break
            done, read = done + item.to_read, read + 1
            if changed is None and self.pace.due and reading:
                self.publish()
            if time.monotonic() - reported >= REPORT_EVERY:
                reported = time.monotonic()
                yield self._say(Progress(min(done, total), total, read, str(item.file.path)))
        self.publish(complete=not reading)
        if told or (self._backlog is not None and self._unembedded):
            self._count_backlog()
            yield self._say(Progress(min(done, total), total, read, finished=not reading))

    def embed(
        self,
        embedder: Embedder,
        stopped: Callable[[], bool] = lambda: False,
        *,
        leave: Collection[int] = (),
        publish_every: float = VECTORS_EVERY,
        publish_rest: bool = True,
    ) -> Iterator[Progress]:
        """Make the vectors that are missing, the newest turns first; yields progress by time.

        Ends when all turns but those to `leave` have theirs, or `stopped` says so; what was made stays. What was not
        published at the end is published with the next change, unless `publish_rest`.
        """
        embedding = self._embedding_by(embedder)
        backlog = self._count_backlog()
        done, before = 0, embedding.embedded
        self._change()
        for turns in embedding.run(stopped, leave):
            done += turns
            if self.pace.age >= publish_every:
                self.publish()
            self._change()
            yield self._say(Progress(0, 0, 0, stage="embedding"))
        self.counts.texts_embedded += embedding.embedded - before
        complete = not backlog.pending(leave)
        if publish_rest or complete:
            self.publish()
        if done or publish_rest:
            yield self._say(Progress(0, 0, 0, finished=complete, stage="embedding"))

    def unembedded(self, leave: Collection[int] = ()) -> bool:
        """Whether turns wait for their vectors, other than some; True before vectors were made for the first time."""
        return self._embedding is None or self._count_backlog().pending(leave) > 0

    def growing(self, seconds: float) -> set[int]:
        """The turns that were written in the last seconds."""
        since = time.monotonic() - seconds
        self._changed_at = {turn: at for turn, at in self._changed_at.items() if at >= since}
        return set(self._changed_at)

    def publish(self, *, complete: bool = False) -> None:
        """Commit to the lexicon what the store has taken in, then show both to readers; nothing when nothing changed.

        `complete` when every file that changed was read.
        """
        started = time.monotonic()
        self.batch.commit()
        if self._published:
            return
        self._change()
        if self._to_link or self.batch.sessions.new:
            with self.work.transaction():
                self._retitled |= link(self.work, self.batch.sessions, complete=complete)
            self._to_link, self.batch.sessions.new = not complete, False
        self._retitle(self._retitled)
        self._retitled = set()
        self._mention_known_files()
        self.work.write_batch()
        self.counts.documents_written += self._sync.catch_up()
        self.publisher.publish(self._vectors.at if self._vectors else None)
        self.pace.published(started)
        self.counts.snapshots += 1
        _log.debug("published in %.2f s; %s", time.monotonic() - started, self.counts)

    def tidy(self) -> None:
        """Nothing else is to do: take out what is not used, and write a new base if that is worth it."""
        if self._vectors is not None and self._vectors.count != self._tidied:
            used = self.work.connection.execute("SELECT DISTINCT hash FROM chunks WHERE hash IS NOT NULL").fetchall()
            smaller = self._vectors.without_unused(one for (one,) in used)
            if smaller is not None:
                self._change()
                with self.work.transaction():
                    note_generation(self.work.connection, smaller)
                self._vectors, self._embedding = smaller, None
                self.publish()
            self._tidied = self._vectors.count
        self.publisher.tidy()

    def _embedding_by(self, embedder: Embedder) -> Embedding:
        held = self._embedding
        if held is not None and held.embedder is embedder:
            return held
        self._change()
        files = prepare(self.work, self._vectors, embedder.name, embedder.dimension)
        if files is not self._vectors:
            self._vectors, self._backlog = files, None
        self._embedding = Embedding(self.work, embedder, files, self._count_backlog(), self.pause)
        return self._embedding

    def _count_backlog(self) -> Backlog:
        """The turns that wait for vectors, those written since included."""
        if self._backlog is None:
            self._backlog = Backlog(self.work)
        else:
            self._backlog.add(self._unembedded)
        self._unembedded.clear()
        return self._backlog

    def _read(self, item: Pending, reading: deque[Pending], stopped: Callable[[], bool]) -> None:
        self._change()
        outcome = ingest_source(self.batch, item, stopped, self._live)
        self.counts.files_read += 1
        self.counts.turns_written += outcome.turns
        self.counts.blocks_written += outcome.blocks
        self._retitled |= outcome.retitled
        self._to_link = self._to_link or outcome.to_link or item.known is None
        self._unembedded += outcome.changed
        self._changed_at.update(dict.fromkeys(outcome.changed[-1:], time.monotonic()))
        if outcome.displaced:
            self._live.clear()
            self.batch.commit()
            known = {source.id: source for source in known_sources(self.work).values()}
            for source in (known[number] for number in outcome.displaced):
                with suppress(OSError):
                    stat = Path(source.path).stat()
                    found = FoundFile(item.file.agent, Path(source.path), stat.st_size, stat.st_mtime_ns)
                    reading.appendleft(Pending(found, source.from_start(), settled=True))

    def _change(self) -> None:
        """Something may be written: it belongs to a batch that was not published yet."""
        if self.work.batch <= (self.publisher.batch or 0):
            self.work.begin_batch()

    def _mention_known_files(self) -> None:
        """The paths of a turn stand in its document, which must be written again."""
        with self.work.transaction():
            turns = self.batch.known_files.catch_up()
        if turns:
            self.work.connection.execute(
                "UPDATE turns SET batch = ? WHERE list_contains(?, id)", [self.work.batch, turns]
            )
            self._live.clear()

    def _retitle(self, keys: set[int]) -> None:
        """The title stands in the document of the first turn, which must be written again."""
        if keys:
            self.work.connection.execute(
                "UPDATE turns SET batch = ? WHERE number = 1 AND list_contains(?, session)",
                [self.work.batch, sorted(keys)],
            )

    def _record_others(self, others: Sequence[Pending], todo: Plan) -> None:
        """What became of all that is not to be read."""
        if not (others or todo.gone or todo.back or todo.blocked or todo.cleared):
            return
        self._change()
        self.batch.begin(alone=True)
        now = time.time_ns() // 1000
        for item in others:
            number = item.known.id if item.known else self.batch.next_id("sources")
            reason = f"not a transcript: {item.file.path.suffix or 'no suffix'}"
            self.work.drop("sources", [item.known.id] if item.known else [])
            self.batch.put(
                "sources", number, str(item.file.path), item.file.agent, "ignored", None, item.file.size,
                item.file.mtime, 0, 0, 0, "", 0, reason, now, None,
            )  # fmt: skip
        self.work.drop("sources", todo.cleared)
        for blocked in todo.blocked:
            known, path = blocked.known, str(blocked.obstacle.path)
            self.work.drop("sources", [known.id] if known else [])
            self.batch.put(
                "sources", known.id if known else self.batch.next_id("sources"), path, blocked.agent, "error",
                known.session if known else None, NO_FILE, 0, 0, 0, 0, "", 0, blocked.obstacle.reason, now, None,
            )  # fmt: skip
        for sources, gone_at in ((todo.gone, now), (todo.back, None)):
            rows = self.work.rows("sources", among("id", sources), [])
            self.work.drop("sources", [row[0] for row in rows])
            for row in rows:
                self.batch.put("sources", *row[:-1], gone_at)
        self.batch.finish()

    @property
    def _published(self) -> bool:
        """Whether readers have all that the store has taken in."""
        known = self.lexicon.batch == self.work.written_batch == self.publisher.batch
        return known and not self.work.changes.whole

    def _say(self, progress: Progress) -> Progress:
        progress = replace(progress, at=time.time())
        if (backlog := self._backlog) is not None:
            progress = replace(progress, embedded=backlog.embedded, to_embed=backlog.total)
            if self._embedding is not None:
                progress = replace(progress, seconds_left=self._embedding.speed.left(backlog.total - backlog.embedded))
        write_progress(self.data.path, progress)
        return progress


def _acquire(lock: FileLock, until: float, stopped: Callable[[], bool]) -> None:
    while True:
        try:
            lock.acquire(timeout=LOCK_POLL if time.monotonic() < until else 0)
            return
        except Timeout as error:
            if stopped() or time.monotonic() >= until:
                raise IndexerBusy(
                    f"Another memtui is indexing into {Path(lock.lock_file).parent}. What it reads is found here, too;"
                    " end it, or try again later."
                ) from error
