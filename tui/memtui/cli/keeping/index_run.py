"""One run of `memtui index`: hand the work over, or do it, mend what is damaged, and note what was left."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from memtui.cli.output import say, say_progress
from memtui.system import clock
from memtui.wording.formatting import indexing_facts
from memtui_core.errors import IndexBroken, IndexerBusy, ModelUnavailable
from memtui_core.index.index import Index
from memtui_core.ingest.discover import known_sources
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.kept.mending import Mended, mend, mend_after
from memtui_core.ingest.last_run import IndexFigures, LastRun, state_of_code, write_last_run
from memtui_core.ingest.requests.forgetting import ForgetRequests
from memtui_core.ingest.requests.indexing import hand_over
from memtui_core.ingest.vectors.index_process import VectorIndexBuilder
from memtui_core.ingest.writing.index_writer import Counts
from memtui_core.search.embed.on_demand import OnDemandModel
from memtui_core.store.work.lock import AN_APP, INDEX_WATCH, is_at_work, read_holder
from memtui_core.system import locations
from memtui_core.system.failures import failure_text
from memtui_core.system.machine import model_threads, processors
from memtui_core.text.own_patterns import used_patterns

if TYPE_CHECKING:
    from collections.abc import Callable

    from memtui.settings.config import Config
    from memtui_core.ingest.discover import KnownSource
    from memtui_core.model import Progress
    from memtui_core.readers.locations import Location
    from memtui_core.store.data_folder import DataDir

MAX_WAIT = 60
"""Seconds that a run without `--watch` waits for another indexer to finish."""
MOST_REPAIRS = 3
"""A run ends with an error after so many repairs of a damaged index: the disk may fail."""
_BUILD_POLL: Final = 0.05
"""Seconds between two checks whether the vector index is built."""
_MAKES_VECTORS: Final = "Making vectors, which may take minutes; words and paths can already be searched."


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What was asked of a run."""

    sources: tuple[Path, ...]
    agent: str | None
    """The agent that wrote the files of `sources`."""
    watch: bool
    quiet: bool
    makes_vectors: bool
    is_of_app: bool

    @property
    def shows_progress(self) -> bool:
        """Whether there is a line of progress."""
        return not self.quiet and sys.stderr.isatty()

    @property
    def program(self) -> str:
        """The name of the process that indexes, for others."""
        return AN_APP if self.is_of_app else INDEX_WATCH if self.watch else "memtui index"


class RunResult(NamedTuple):
    """What was done, and what the index holds then."""

    counts: Counts
    figures: IndexFigures


class _Work(NamedTuple):
    """What a run has done, with what the next one needs to see that there is nothing to do."""

    indexer: Indexer
    """Closed."""
    model: str | None
    """The model that has made all vectors."""
    known: dict[str, KnownSource]
    archives_at: float
    """From when on there is something to archive, in seconds since 1970."""


class IndexRun:
    """Indexes some transcripts into a data folder until all is done or `stop` is set; `located` finds them again."""

    def __init__(
        self,
        data: DataDir,
        options: RunOptions,
        config: Config,
        stop: threading.Event,
        found: Sequence[Location],
        located: Callable[[], list[Location]],
    ) -> None:
        self._data, self._options, self._config = data, options, config
        self._stop, self._locations, self._located = stop, found, located
        self._wait = inf if options.watch else MAX_WAIT

    def hand_over(self) -> RunResult | None:
        """Let another memtui that watches do the work; None if there is none, or if it does not answer."""
        holder = read_holder(self._data)
        if holder is None or not holder.watches or not is_at_work(self._data):
            return None
        self._say(f"Another memtui does it: {holder.text}")
        done: list[Counts] = []

        def reports() -> Iterator[Progress]:
            options = self._options
            for one in hand_over(self._data, options.sources, options.agent, MAX_WAIT, self._stop.is_set):
                if isinstance(one, Counts):
                    done.append(one)
                else:
                    yield one

        self._follow(reports())
        return RunResult(done[0], _figures(Index.open(self._data.path))) if done else None

    def mend(self) -> None:
        """Mend what an earlier process has found damaged."""
        if self._data.damage.exists():
            self._say_mended(mend(self._data, self._wait, self._stop.is_set))

    def run(self, last_run: LastRun | None) -> RunResult:
        """Do the work, mend what turns out to be damaged, and note what is left for the next run."""
        work = self._mending(last_run)
        index, retention = Index.open(self._data.path), self._config.retention
        if retention and not self._options.quiet:
            from memtui.cli.keeping.forgotten import kept_figures, kept_lines

            for line in kept_lines(kept_figures(self._data.path, index, retention)._replace(forgotten=0)):
                say(line)
        figures = _figures(index)
        if not (self._options.watch or self._stop.is_set()):
            run = LastRun(
                state_of_code(),
                work.indexer.files_left,
                self._config.exclusions.patterns,
                work.model,
                self._config.vectors,
                used_patterns(),
                figures,
                work.known,
                work.indexer.recognized,
                work.archives_at,
            )
            write_last_run(self._data, run)
        return RunResult(work.indexer.counts, figures)

    def _mending(self, last_run: LastRun | None) -> _Work:
        """Do the work, again if something was damaged: it is made again. Another error is reported."""
        repairs = 0
        while True:
            try:
                return self._work(last_run)
            except Exception as error:
                is_noted, mended = self._data.damage.exists(), mend_after(error, self._data)
                if repairs == MOST_REPAIRS or not (mended or (is_noted and isinstance(error, IndexBroken))):
                    raise
                self._say_mended(mended)
                repairs += 1

    def _work(self, last_run: LastRun | None) -> _Work:
        options, config, archives_at = self._options, self._config, 0.0
        model_name = config.model if options.makes_vectors else None
        with self._opened() as indexer:
            is_first = indexer.publisher.published is None
            self._say_opened(indexer)
            if last_run is not None:
                indexer.recognized = last_run.recognized
            requests = ForgetRequests(indexer)

            def stopped() -> bool:
                return self._stop.is_set() or requests.is_due

            def serving(work: Callable[[], Iterator[Progress]]) -> None:
                """Do some work, again whenever it was interrupted by a request."""
                self._follow(work())
                while requests.serve():
                    self._follow(work())

            serving(lambda: indexer.update(self._locations, stopped))
            if indexer.counts.turns_redacted:
                self._say(f"Secrets were replaced in {indexer.counts.turns_redacted} turns that were stored before.")
            if options.watch:
                self._watch(indexer)
                return _Work(indexer, model_name, {}, archives_at)
            # A watcher does it when it has nothing more urgent to do. Compactions are reviewed when somebody looks.
            indexer.add_outside_files(self._stop.is_set)
            if (model := self._model()) is not None and not self._stop.is_set():
                try:
                    if indexer.unembedded(model):
                        if not options.shows_progress:
                            self._say(
                                "Making vectors, which may take minutes; words and paths can already be searched."
                            )
                        serving(lambda: indexer.embed(model, stopped))
                    model_name = None if indexer.unembedded(model) else model.name
                except ModelUnavailable as error:
                    model_name = None
                    _say_no_model(error)
                self._build_vector_index()
            if config.archive and not self._stop.is_set():
                archives_at = self._archive(indexer, is_first=is_first)
            return _Work(indexer, model_name, known_sources(indexer.work), archives_at)

    def _opened(self) -> Indexer:
        """The indexer, waiting for another one that uses the data folder."""
        try:
            return self._indexer(0)
        except IndexerBusy:
            holder = read_holder(self._data)
            which = f": {holder.text}" if holder is not None else ""
            self._say(f"Waiting for another memtui that is indexing into {self._data.path}{which} …")
            return self._indexer(self._wait)

    def _indexer(self, wait: float) -> Indexer:
        return Indexer(
            self._data.path,
            wait,
            self._stop.is_set,
            self._config.exclusions,
            locations.current_folder(),
            what=self._options.program,
            retention=self._config.retention,
        )

    def _watch(self, indexer: Indexer) -> None:
        from memtui_core.ingest.machines.background import BackgroundPulls
        from memtui_core.ingest.watch import watch_locations

        pulls = None if self._options.sources else BackgroundPulls(self._data, self._located)
        keeper = indexer.keeper(self._locations) if self._config.archive else None
        watch_locations(
            indexer, self._locations, self._stop, self._model(), self._config.vectors, _say_no_model, pulls, keeper
        )

    def _model(self) -> OnDemandModel | None:
        """A model that takes no memory while there is nothing to embed; None if no vectors are made.

        With the setting `auto` the way in which it runs is measured once, and remembered in the data folder.
        """
        if not self._options.makes_vectors:
            return None
        measured = self._data.embedding if self._config.embedding == "auto" else None
        return OnDemandModel(self._config.model, model_threads(processors()), measured)

    def _build_vector_index(self) -> None:
        """Build the vector index if one is due: whoever never lets an indexer wait would have none otherwise."""
        with closing(VectorIndexBuilder(self._data, self._config.vectors)) as builder:
            if not self._stop.is_set() and builder.start_if_due(reads_all=False):
                self._say("Building the index of the vectors.")
                while builder.running:
                    if self._stop.wait(_BUILD_POLL):
                        return
                if problem := builder.wait():
                    say(f"memtui: The index of the vectors could not be built: {problem}")

    def _archive(self, indexer: Indexer, *, is_first: bool) -> float:
        """Keep the bytes of transcripts that their agents will delete; the index itself does not need them.

        Returns from when on there is more to keep, in seconds since 1970.
        """
        keeper = indexer.keeper(self._locations)
        try:
            keeper.archive_urgent(self._stop.is_set, is_first=is_first)
            return keeper.due_at()
        except OSError as error:
            say(f"memtui: Transcripts are not archived: {failure_text(error, self._data.path)}")
            return 0.0

    def _follow(self, reports: Iterator[Progress]) -> None:
        """Let the indexer work to its end, with a line of progress if requested."""
        for progress in reports:
            if self._options.shows_progress:
                say_progress(" · ".join(indexing_facts(progress, clock.now())))
        if self._options.shows_progress:
            say_progress()

    def _say_opened(self, indexer: Indexer) -> None:
        """What became of another process, of damaged files, and of a folder that others could read."""
        # Even with --quiet: the app that started this process shows it.
        if indexer.lock.ended:
            say(f"memtui: {indexer.lock.ended}")
        if indexer.was_open_to_others:
            say(f"Other users of this machine could read {self._data.path}. Now only you can.")
        work = indexer.work
        if work.restore_reason and not work.is_new:
            self._say(f"The index could not be opened and was restored from its last snapshot: {work.restore_reason}")
        elif work.restore_reason:
            self._say(
                f"The index was damaged beyond repair and is made again: {work.restore_reason} The damaged files are in"
                f" {self._data.broken}, from which memtui doctor --repair removes them."
            )

    def _say_mended(self, mended: Sequence[Mended]) -> None:
        """Name what was damaged; with --quiet the log has it."""
        for damage, done in mended:
            self._say(f"The {damage.part} of the index is damaged ({damage.path.name}: {damage.reason}): {done}.")

    def _say(self, text: str) -> None:
        if not self._options.quiet:
            say(text)


def _figures(index: Index) -> IndexFigures:
    stats = index.statistics.of_index()
    return IndexFigures(stats.sessions, stats.turns, stats.sources, stats.bad_sources, stats.skipped_lines)


def _say_no_model(error: Exception) -> None:
    # Even with --quiet: the app that started this process shows it.
    say(f"memtui: {error}")
