"""`memtui index`: update the index, once or continuously."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import count
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.options import agent_option, data_dir_option, json_option, reports_errors, settings, sources_option
from memtui.cli.output import print_json, say, say_progress

if TYPE_CHECKING:
    from memtui.settings.config import Config
    from memtui_core.ingest.discover import KnownSource
    from memtui_core.ingest.indexer import Counts, Indexer
    from memtui_core.ingest.kept.mending import Mended
    from memtui_core.ingest.kept.transcripts import TranscriptKeeper
    from memtui_core.ingest.last_run import IndexFigures
    from memtui_core.model import Progress
    from memtui_core.readers.base import Reader
    from memtui_core.readers.locations import Location
    from memtui_core.search.embed.on_demand import OnDemandModel
    from memtui_core.store.data_folder import DataDir

MAX_WAIT = 60
"""Seconds that a run without `--watch` waits for another indexer to finish."""
MOST_REPAIRS = 3
"""A run ends with an error after so many repairs of a damaged index: the disk may fail."""
_BUILD_POLL = 0.05
"""Seconds between two checks whether the vector index is built."""


@click.command()
@sources_option
@data_dir_option
@json_option
@click.option("--agent", metavar="AGENT", callback=agent_option, help="The agent that wrote the files of --source.")
@click.option("--watch", is_flag=True, help="Keep indexing what is written, until interrupted.")
@click.option("--quiet", is_flag=True, help="Print only errors.")
@click.option("--no-embed", is_flag=True, help="Do not make the vectors for semantic search.")
@click.option("--pull", is_flag=True, help="First pull from the other machines; --watch always does, at intervals.")
@click.option("--until-eof", is_flag=True, hidden=True, help="Stop when standard input closes.")
@reports_errors
def index(
    sources: tuple[Path, ...],
    data_dir: Path | None,
    as_json: bool,
    agent: Reader | None,
    watch: bool,
    quiet: bool,
    no_embed: bool,
    pull: bool,
    until_eof: bool,
) -> None:
    """Read new and changed transcripts into the index.

    What was copied from other machines (memtui machine) is read, too.
    """
    if pull and sources:
        raise click.UsageError("--pull has no use with --source.")
    if agent is not None and not sources:
        raise click.UsageError("--agent needs --source.")
    from memtui.settings.config import settings_in_use
    from memtui.system.logs import configure
    from memtui_core.errors import IndexBroken, ModelUnavailable
    from memtui_core.ingest.kept.waiting_days import has_forget_work
    from memtui_core.ingest.last_run import read_last_run
    from memtui_core.ingest.machines.declared import mirrors_of
    from memtui_core.readers.locations import chosen_locations
    from memtui_core.store.data_folder import DataDir
    from memtui_core.store.requests import Requests
    from memtui_core.system import locations
    from memtui_core.system.ending import end_with_starter
    from memtui_core.system.machine import lower_priority

    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    if until_eof:
        end_with_starter(stop.set)
    if watch:
        # A watcher runs while the user works on this machine; a single run should finish soon.
        lower_priority()
    configure(locations.data_dir(data_dir))
    # With --quiet the app started this process; it reads the settings too and shows their warnings.
    config = settings_in_use() if quiet else settings()
    exclusions = config.exclusions
    show_progress = not quiet and sys.stderr.isatty()
    folder, wait = locations.data_dir(data_dir), inf if watch else MAX_WAIT
    data = DataDir(folder)

    def located() -> list[Location]:
        return chosen_locations(
            sources,
            agent.agent if agent else None,
            added=config.sources,
            mirrors=mirrors_of(data),
            exclusions=exclusions,
        )

    if pull and not watch:
        _pull(data, stop, quiet=quiet)
    transcript_locations = located()
    model_name = None if no_embed else config.model
    # A watcher needs only what was recognized, in locations of any agent.
    last_run = None if watch and all(one.agent for one in transcript_locations) else read_last_run(data)
    if (
        last_run is not None
        and not (watch or has_forget_work(data) or Requests(data).has_pending)
        and not (config.archive and time.time() >= last_run.archives_at)
        and last_run.left_nothing(data, transcript_locations, exclusions, model_name, config.vectors)
    ):
        _report(last_run.figures, None, as_json=as_json, quiet=quiet)
        return
    # A run with nothing to do has loaded none of the engines.
    from memtui_core.index.index import Index
    from memtui_core.ingest.discover import known_sources
    from memtui_core.ingest.last_run import IndexFigures, LastRun, state_of_code, write_last_run
    from memtui_core.ingest.requests.forgetting import ForgetRequests
    from memtui_core.store.work.lock import AN_APP, INDEX_WATCH
    from memtui_core.text.own_patterns import used_patterns

    if data.damage.exists():
        from memtui_core.ingest.kept.mending import mend

        _say_mended(mend(data, wait, stop.is_set), quiet=quiet)
    if not watch and (handed := _hand_over(data, sources, agent, stop, quiet=quiet, show_progress=show_progress)):
        stats = Index.open(folder).statistics.of_index()
        figures = IndexFigures(stats.sessions, stats.turns, stats.sources, stats.bad_sources, stats.skipped_lines)
        _report(figures, handed, as_json=as_json, quiet=quiet)
        return
    what = AN_APP if until_eof else INDEX_WATCH if watch else "memtui index"

    def work() -> tuple[Indexer, str | None, dict[str, KnownSource], float]:
        """Do the work.

        Returns the indexer, which is closed then, the model that has made all vectors, the sources, and from when on
        there is something to archive.
        """
        model_name = None if no_embed else config.model
        archives_at = 0.0
        with _indexer(folder, wait, stop, config, what, quiet=quiet) as indexer:
            is_first = indexer.publisher.published is None
            if indexer.lock.ended:
                # Even with --quiet: the app that started this process shows it.
                say(f"memtui: {indexer.lock.ended}")
            if indexer.work.restore_reason and not quiet:
                say(_restored_text(indexer))
            if indexer.was_open_to_others:
                say(f"Other users of this machine could read {folder}. Now only you can.")
            if last_run is not None:
                indexer.recognized = last_run.recognized
            requests = ForgetRequests(indexer)

            def stopped() -> bool:
                return stop.is_set() or requests.is_due

            _run(indexer.update(transcript_locations, stopped), show_progress)
            if indexer.counts.turns_redacted and not quiet:
                say(f"Secrets were replaced in {indexer.counts.turns_redacted} turns that were stored before.")
            while requests.serve():
                _run(indexer.update(transcript_locations, stopped), show_progress)
            if not watch:
                # A watcher does it when it has nothing more urgent to do. Compactions are reviewed when somebody looks.
                indexer.add_outside_files(stop.is_set)
            model = None if no_embed else _on_demand(config.model, data if config.embedding == "auto" else None)
            if watch:
                from memtui_core.ingest.machines.background import BackgroundPulls
                from memtui_core.ingest.watch import watch_locations

                pulls = None if sources else BackgroundPulls(data, located)
                keeper = indexer.keeper(transcript_locations) if config.archive else None
                watch_locations(
                    indexer, transcript_locations, stop, model, config.vectors, _say_no_model, pulls, keeper
                )
            elif model is not None and not stop.is_set():
                try:
                    if indexer.unembedded(model):
                        if not (quiet or show_progress):
                            say("Making vectors, which may take minutes; words and paths can already be searched.")
                        _run(indexer.embed(model, stopped), show_progress)
                        while requests.serve():
                            _run(indexer.embed(model, stopped), show_progress)
                    model_name = None if indexer.unembedded(model) else model.name
                except ModelUnavailable as error:
                    model_name = None
                    _say_no_model(error)
                _build_vector_index(data, config.vectors, stop, quiet=quiet)
            if config.archive and not (watch or stop.is_set()):
                archives_at = _archive(indexer, indexer.keeper(transcript_locations), stop, is_first=is_first)
            known = {} if watch else known_sources(indexer.work)
        return indexer, model_name, known, archives_at

    for repairs in count():
        try:
            indexer, model_name, known, archives_at = work()
            break
        except Exception as error:
            # What is damaged is made again; an error that has another cause is reported.
            from memtui_core.ingest.kept.mending import mend_after

            is_noted, mended = data.damage.exists(), mend_after(error, data)
            if repairs == MOST_REPAIRS or not (mended or (is_noted and isinstance(error, IndexBroken))):
                raise
            _say_mended(mended, quiet=quiet)
    index_now = Index.open(folder)
    if config.retention and not quiet:
        from memtui.cli.keeping.forgotten import kept_figures, kept_lines

        for line in kept_lines(kept_figures(folder, index_now, config.retention)._replace(forgotten=0)):
            say(line)
    stats = index_now.statistics.of_index()
    figures = IndexFigures(stats.sessions, stats.turns, stats.sources, stats.bad_sources, stats.skipped_lines)
    if not (watch or stop.is_set()):
        run = LastRun(
            state_of_code(),
            indexer.files_left,
            exclusions.patterns,
            model_name,
            config.vectors,
            used_patterns(),
            figures,
            known,
            indexer.recognized,
            archives_at,
        )
        write_last_run(data, run)
    _report(figures, indexer.counts, as_json=as_json, quiet=quiet)
    if stop.is_set() and not watch:
        sys.exit(1)


def _report(figures: IndexFigures, counts: Counts | None, *, as_json: bool, quiet: bool) -> None:
    """Print what the run did, None for nothing, and what the index holds."""
    files, turns, texts = (counts.files_read, counts.turns_written, counts.texts_embedded) if counts else (0, 0, 0)
    if as_json:
        print_json(
            [
                {
                    "files_read": files,
                    "turns_written": turns,
                    "texts_embedded": texts,
                    "sessions": figures.sessions,
                    "turns": figures.turns,
                    "sources": figures.sources,
                    "failed_sources": figures.bad_sources,
                    "skipped_lines": figures.skipped_lines,
                }
            ]
        )
    elif not quiet:
        from memtui.wording.formatting import plural

        say(
            f"{plural(files, 'file')} read, {plural(turns, 'turn')} written. The index holds"
            f" {plural(figures.sessions, 'session')}, {plural(figures.turns, 'turn')}."
        )
        if figures.bad_sources or figures.skipped_lines:
            unread = ((figures.bad_sources, "file"), (figures.skipped_lines, "line"))
            names = " and ".join(plural(count, noun) for count, noun in unread if count)
            say(f"{names} could not be read: memtui doctor")


def _restored_text(indexer: Indexer) -> str:
    """What became of a work database that could not be opened."""
    work = indexer.work
    if not work.is_new:
        return f"The index could not be opened and was restored from its last snapshot: {work.restore_reason}"
    return (
        f"The index was damaged beyond repair and is made again: {work.restore_reason} The damaged files are in"
        f" {work.data.broken}, from which memtui doctor --repair removes them."
    )


def _say_mended(mended: Sequence[Mended], *, quiet: bool) -> None:
    """Name what was damaged; with --quiet the log has it."""
    if not quiet:
        for damage, done in mended:
            say(f"The {damage.part} of the index is damaged ({damage.path.name}: {damage.reason}): {done}.")


def _build_vector_index(data: DataDir, mode: str, stop: threading.Event, *, quiet: bool) -> None:
    """Build the vector index if one is due: whoever never lets an indexer wait would have none otherwise."""
    from contextlib import closing

    from memtui_core.ingest.vectors.index_process import VectorIndexBuilder

    with closing(VectorIndexBuilder(data, mode)) as builder:
        if not stop.is_set() and builder.start_if_due(reads_all=False):
            if not quiet:
                say("Building the vss index of the vectors.")
            while builder.running:
                if stop.wait(_BUILD_POLL):
                    return
            if problem := builder.wait():
                say(f"memtui: The vss index could not be built: {problem}")


def _archive(indexer: Indexer, keeper: TranscriptKeeper, stop: threading.Event, *, is_first: bool) -> float:
    """Keep the bytes of transcripts that their agents will delete; the index itself does not need them.

    Returns from when on there is more to keep, in seconds since 1970.
    """
    from memtui_core.system.failures import failure_text

    try:
        keeper.archive_urgent(stop.is_set, is_first=is_first)
        return keeper.due_at()
    except OSError as error:
        say(f"memtui: Transcripts are not archived: {failure_text(error, indexer.data.path)}")
        return 0.0


def _pull(data: DataDir, stop: threading.Event, *, quiet: bool) -> None:
    """Pull from all machines; one that does not answer is named, and is no error of the index."""
    from memtui.cli.keeping.machine import pull_from
    from memtui_core.ingest.machines.declared import machines_of

    pull_from(data, machines_of(data), stop.is_set, quiet=quiet)


def _indexer(folder: Path, wait: float, stop: threading.Event, config: Config, what: str, *, quiet: bool) -> Indexer:
    """Open the indexer, waiting for another one that uses the data folder."""
    from memtui_core.errors import IndexerBusy
    from memtui_core.ingest.indexer import Indexer
    from memtui_core.store.data_folder import DataDir
    from memtui_core.store.work.lock import read_holder
    from memtui_core.system import locations

    def opened(seconds: float) -> Indexer:
        here = locations.current_folder()
        return Indexer(folder, seconds, stop.is_set, config.exclusions, here, what=what, retention=config.retention)

    try:
        return opened(0)
    except IndexerBusy:
        if not quiet:
            holder = read_holder(DataDir(folder))
            which = f": {holder.text}" if holder is not None else ""
            say(f"Waiting for another memtui that is indexing into {folder}{which} …")
        return opened(wait)


def _hand_over(
    data: DataDir,
    sources: tuple[Path, ...],
    agent: Reader | None,
    stop: threading.Event,
    *,
    quiet: bool,
    show_progress: bool,
) -> Counts | None:
    """Let another memtui that watches do the work; what it did, None if there is none, or if it does not answer."""
    from memtui_core.ingest.indexer import Counts
    from memtui_core.ingest.requests.indexing import hand_over
    from memtui_core.store.work.lock import is_at_work, read_holder

    holder = read_holder(data)
    if holder is None or not holder.watches or not is_at_work(data):
        return None
    if not quiet:
        say(f"Another memtui does it: {holder.text}")
    done: list[Counts] = []

    def reports() -> Iterator[Progress]:
        for one in hand_over(data, sources, agent.agent if agent else None, MAX_WAIT, stop.is_set):
            if isinstance(one, Counts):
                done.append(one)
            else:
                yield one

    _run(reports(), show_progress)
    return done[0] if done else None


def _run(reports: Iterator[Progress], show_progress: bool) -> None:
    """Run the indexer to its end, with a line of progress if requested."""
    from memtui.system import clock
    from memtui.wording.formatting import indexing_facts

    for progress in reports:
        if show_progress:
            say_progress(" · ".join(indexing_facts(progress, clock.now())))
    if show_progress:
        say_progress()


def _on_demand(model: str, data: DataDir | None) -> OnDemandModel:
    """A model that takes no memory while there is nothing to embed.

    With a data folder, the way in which it runs is measured once, and remembered there.
    """
    from memtui_core.search.embed.on_demand import OnDemandModel
    from memtui_core.system.machine import model_threads, processors

    return OnDemandModel(model, model_threads(processors()), data.embedding if data else None)


def _say_no_model(error: Exception) -> None:
    # Even with --quiet: the app that started this process shows it.
    say(f"memtui: {error}")
