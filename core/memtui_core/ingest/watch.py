"""Watch the locations, and index what agents write, until the process ends.

A change is visible within two seconds while a process reads the index, and within half a minute otherwise. The bytes
written depend on the size of the change, not on the size of the index.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Final

from watchfiles import watch

from memtui_core.errors import IndexBroken, ModelUnavailable
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.kept.transcripts import SETTLED as RESTS
from memtui_core.ingest.kept.transcripts import TranscriptKeeper
from memtui_core.ingest.machines.background import BackgroundPulls
from memtui_core.ingest.requests.forgetting import ForgetRequests
from memtui_core.ingest.requests.indexing import IndexRequests
from memtui_core.ingest.vectors.index_process import VectorIndexBuilder
from memtui_core.model import Progress
from memtui_core.readers.locations import Location, narrowed
from memtui_core.search.embed import Embedder
from memtui_core.search.embed.on_demand import OnDemandModel
from memtui_core.store.processes import has_readers
from memtui_core.system.failures import failure_text
from memtui_core.system.machine import release_memory

_log = logging.getLogger(__name__)

RESCAN_SECONDS: Final = 30.0
"""Seconds between two full scans, which find changes on file systems without events, and new folders."""
RESCAN_SHARE: Final = 100
"""The time between two full scans is at least so many times as long as a scan takes."""
UPDATE_SHARE: Final = 3
"""After reading changed files, the indexer rests so many times as long: a large database changes often."""
LONGEST_REST: Final = 30.0
"""The most seconds of such a rest."""
WATCHED_PAUSE: Final = 1.4
"""Seconds between two snapshots while a process reads the index."""
UNWATCHED_PAUSE: Final = 25.0
"""Seconds between two snapshots while no process reads the index."""
SETTLED: Final = 20.0
"""Seconds without a change after which a turn is embedded; until then its text is likely to change."""
READER_POLL: Final = 0.5
"""Seconds between two checks whether a process reads the index, while a change is not published."""
BUILD_REPORTS: Final = 2.0
"""Seconds between two reports that the vector index is built."""
STOP_POLL: Final = 0.2
"""Seconds between two checks for cancellation."""
IDLE: Final = 60.0
"""Seconds without a change after which the index is tidied."""
FREE_EVERY: Final = 20.0
"""The least seconds between two times at which freed memory is given back, which takes 5 ms."""
MODEL_IDLE: Final = 60.0
"""Seconds without a text to embed after which a model that is loaded on demand is dropped."""


def watch_locations(
    indexer: Indexer,
    locations: Sequence[Location],
    stop: threading.Event,
    embedder: Embedder | None = None,
    vectors: str = "auto",
    model_failed: Callable[[ModelUnavailable], object] = lambda _: None,
    pulls: BackgroundPulls | None = None,
    keeper: TranscriptKeeper | None = None,
) -> None:
    """Update the index whenever a file changes in the locations, until `stop` is set.

    With an embedder, turns are embedded while no file changes. `vectors` is the setting on the HNSW index of vectors.
    `model_failed` is called if the model cannot be loaded when it is needed; then only words and paths are indexed.
    What `pulls` bring from other machines is indexed at once; they say which locations there are then. The `keeper`
    archives transcripts while there is nothing else to do.
    """
    builder = VectorIndexBuilder(indexer.data, vectors)
    with FileWatcher(locations) as watcher, closing(builder), pulls or nullcontext():
        _Watch(indexer, locations, stop, embedder, model_failed, watcher, builder, pulls, keeper).run()


class FileWatcher:
    """Collects the files that change in some locations, in threads of its own.

    Of a location that is a file, such as a database, the folder is watched without its subfolders: they may contain
    anything.
    """

    def __init__(self, locations: Sequence[Location]) -> None:
        self._locations = locations
        self._lock = threading.Lock()
        self._changed: set[Path] = set()
        self._everything = False
        self._stop = threading.Event()
        self.happened = threading.Event()
        """Set while there are changes to take."""
        self._threads = [
            threading.Thread(target=self._run, args=(recursive,), name=f"memtui-watch-{kind}", daemon=True)
            for kind, recursive in (("folders", True), ("files", False))
        ]

    def __enter__(self) -> FileWatcher:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def relocate(self, locations: Sequence[Location]) -> None:
        """Watch other locations; folders that are new to it within half a minute."""
        with self._lock:
            self._locations = locations

    def take(self) -> list[Path] | None:
        """The files that changed since the last call; None if they are not known, and everything must be scanned."""
        with self._lock:
            changed, everything = sorted(self._changed), self._everything
            self._changed.clear()
            self._everything = False
            self.happened.clear()
        return None if everything else changed

    def _run(self, recursive: bool) -> None:
        while not self._stop.is_set():
            folders = self._folders(recursive)
            if not folders:
                self._stop.wait(RESCAN_SECONDS)
                continue
            for changes in watch(
                *folders,
                recursive=recursive,
                watch_filter=None,
                debounce=200,
                step=100,
                stop_event=self._stop,
                rust_timeout=int(RESCAN_SECONDS * 1000),
                yield_on_timeout=True,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                self._add([Path(path) for _, path in changes], recursive)
                if self._folders(recursive) != folders:
                    break

    def _folders(self, recursive: bool) -> set[Path]:
        """The existing folders to watch: the locations that are folders, or else the folders of the other ones."""
        paths = [location.path for location in self._locations]
        if recursive:
            return {path for path in paths if path.is_dir()}
        return {path.parent for path in paths if not path.is_dir() and path.parent.is_dir()}

    def _add(self, paths: Sequence[Path], recursive: bool) -> None:
        if not paths:
            return
        inside = [path for path in paths if any(narrowed(location, [path]) for location in self._locations)]
        with self._lock:
            self._changed.update(inside)
            # On some systems, the reported path is not inside the watched one: then everything must be scanned. Files
            # beside a location that is a file do not count.
            self._everything |= recursive and len(inside) < len(paths)
            if self._changed or self._everything:
                self.happened.set()


class _Watch:
    """The loop: read changed files, embed turns that do not change any more, tidy while there is nothing to do."""

    def __init__(
        self,
        indexer: Indexer,
        locations: Sequence[Location],
        stop: threading.Event,
        embedder: Embedder | None,
        model_failed: Callable[[ModelUnavailable], object],
        watcher: FileWatcher,
        builder: VectorIndexBuilder,
        pulls: BackgroundPulls | None = None,
        keeper: TranscriptKeeper | None = None,
    ) -> None:
        self._keeper = keeper
        self._archive_at = time.monotonic() + IDLE
        """When transcripts are archived next."""
        self._indexer = indexer
        self._locations = locations
        self._stop = stop
        self._embedder = embedder
        self._model_failed = model_failed
        self._watcher = watcher
        self._builder = builder
        self._pulls = pulls
        self._requests = ForgetRequests(indexer)
        self._index_requests = IndexRequests(indexer)
        self._scan_at = time.monotonic()
        """When the next full scan is due."""
        self._changed_at = time.monotonic()
        self._rests_until = 0.0
        """When changed files may be read again."""
        self._tidied = False
        self._reports_build = False
        """Whether the last report may say that the vector index is built."""
        self._frees_at = 0.0
        """When freed memory may be given back again."""
        self._holds_memory = True
        """Whether the process may hold memory that was freed since it waited last."""

    def run(self) -> None:
        """Run until `stop` is set."""
        while not self._stop.is_set():
            self._indexer.lock.beat()
            try:
                worked = self._work()
            except ModelUnavailable as error:
                self._embedder = None
                self._model_failed(error)
                continue
            if worked:
                self._holds_memory = True
            else:
                self._report_build()
                self._free_memory()
                self._wait()

    def _work(self) -> bool:
        """Do what is most urgent; False if there is nothing to do. Raises IndexBroken if a reader found damage."""
        if self._indexer.data.damage.exists():
            raise IndexBroken("A reader has found a damaged part of the index.")
        if self._requests.is_due:
            self._requests.serve()
        elif self._index_requests.is_due:
            self._index_requests.serve(self._update_asked, self._stopped)
        elif self._due():
            self._update()
        elif self._indexer.misses_outside_files:
            self._indexer.add_outside_files(self._interrupted)
        elif time.monotonic() >= self._indexer.status.due_at:
            self._indexer.status.update()
        elif time.monotonic() >= self._indexer.hook_files.due_at:
            self._indexer.hook_files.update()
        elif time.monotonic() >= self._indexer.completion.due_at:
            self._indexer.completion.update()
        elif self._indexer.needs_review(by_meaning=False):
            _run_to_end(self._indexer.review(self._interrupted))
        elif (model := self._embedder) is not None and self._indexer.unembedded(
            model, growing := self._indexer.growing(SETTLED)
        ):
            _run_to_end(self._indexer.embed(model, self._interrupted, excluded=growing, publish_rest=False))
        elif self._embedder is not None and self._indexer.needs_review(by_meaning=True):
            embedder = self._embedder
            _run_to_end(
                self._indexer.review(
                    self._interrupted, embedder.plain if isinstance(embedder, OnDemandModel) else embedder
                )
            )
        elif not self._tidied and time.monotonic() - self._changed_at > IDLE:
            self._tidied = True
            self._indexer.tidy()
            self._builder.start_if_due()
        elif self._keeper is not None and time.monotonic() >= self._archive_at:
            self._archive(self._keeper)
        else:
            return False
        return True

    def _archive(self, keeper: TranscriptKeeper) -> None:
        """Archive the transcripts that rest; if it is interrupted, the others follow when there is time again."""
        try:
            keeper.archive_settled(self._interrupted)
        except OSError as error:
            # The index itself does not need it.
            _log.warning("Transcripts are not archived: %s", failure_text(error, self._indexer.data.path))
        if not self._due():
            self._archive_at = time.monotonic() + RESTS

    def _report_build(self) -> None:
        """Report that the vector index is built, and once that it is not any more."""
        running = self._builder.running
        if running or self._reports_build:
            self._indexer.report_vector_index(finished=not running)
        self._reports_build = running

    def _free_memory(self) -> None:
        """Give memory back to the system: what the last work has freed, and the model if it is idle."""
        model = self._embedder
        if isinstance(model, OnDemandModel) and model.is_loaded and model.idle_since(time.monotonic()) >= MODEL_IDLE:
            model.drop()
            self._holds_memory = True
        if self._holds_memory and time.monotonic() >= self._frees_at:
            self._holds_memory = False
            release_memory()
            self._frees_at = time.monotonic() + FREE_EVERY

    def _due(self) -> bool:
        """Whether files must be read now."""
        if time.monotonic() >= self._scan_at or (self._pulls is not None and self._pulls.has_news):
            return True
        is_rested = time.monotonic() >= self._rests_until and self._indexer.schedule.age >= self._pause
        return self._watcher.happened.is_set() and is_rested

    @property
    def _pause(self) -> float:
        return WATCHED_PAUSE if has_readers(self._indexer.data) else UNWATCHED_PAUSE

    def _interrupted(self) -> bool:
        return self._stopped() or self._due() or self._index_requests.is_due

    def _stopped(self) -> bool:
        return self._stop.is_set() or self._requests.is_due

    def _update(self) -> None:
        changed = self._watcher.take()
        started = time.monotonic()
        has_news = self._pulls is not None and self._pulls.take_news()
        everything = changed is None or has_news or started >= self._scan_at
        if everything and self._pulls is not None:
            # A machine was added or removed, or an agent is new on one.
            self._locations = self._pulls.located()
            self._watcher.relocate(self._locations)
        read_before = self._indexer.counts.files_read
        to_read = None if everything else changed
        _run_to_end(self._indexer.update(self._locations, self._stopped, to_read))
        now = time.monotonic()
        self._rests_until = now + min(LONGEST_REST, UPDATE_SHARE * (now - started))
        if self._requests.is_due:
            # What was asked comes first; what was not read is found again.
            self._scan_at = now
        elif everything:
            self._scan_at = now + max(RESCAN_SECONDS, RESCAN_SHARE * (now - started))
        if has_news and self._pulls is not None:
            self._pulls.indexed()
        if self._indexer.counts.files_read > read_before:
            self._changed_at, self._tidied = now, False

    def _update_asked(self, locations: Sequence[Location]) -> None:
        """Update what somebody asks for: these locations, or everything."""
        if locations:
            _run_to_end(self._indexer.update(locations, self._stopped))
            self._changed_at, self._tidied = time.monotonic(), False
        else:
            self._scan_at = time.monotonic()
            self._update()

    def _wait(self) -> None:
        """Wait for a change, or until the next action is due."""
        now = time.monotonic()
        files = (self._indexer.status, self._indexer.hook_files, self._indexer.completion)
        due_at = min(file.due_at for file in files)
        until = min(self._scan_at, due_at, now + (BUILD_REPORTS if self._reports_build else IDLE))
        if self._watcher.happened.is_set():
            # The pause becomes shorter as soon as a process reads the index.
            rest = max(0.0, self._rests_until - now, self._pause - self._indexer.schedule.age)
            until = min(until, now + READER_POLL, now + rest)
            self._stop.wait(until - now)
            return
        if self._embedder is not None and self._indexer.growing(SETTLED):
            until = min(until, now + 1.0)
        self._wait_for_event(until - now)

    def _wait_for_event(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not self._stop.is_set() and (left := end - time.monotonic()) > 0:
            self._indexer.lock.beat()
            if self._watcher.happened.wait(min(left, STOP_POLL)) or self._requests.is_due:
                return
            if self._index_requests.is_due:
                return
            if self._pulls is not None and self._pulls.has_news:
                return


def _run_to_end(reports: Iterator[Progress]) -> None:
    """Do work of the indexer, which reports its progress itself."""
    deque(reports, maxlen=0)
