"""`memtui index`: bring the index up to date, once or for as long as somebody looks."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors, settings, sources_option
from memtui.cli.output import print_json, say, say_progress

if TYPE_CHECKING:
    from memtui_core.embed import Embedder
    from memtui_core.ingest.indexer import Indexer
    from memtui_core.model import Progress

PATIENCE = 60
"""Seconds that a single run waits for another indexer to end."""


@click.command()
@sources_option
@data_dir_option
@json_option
@click.option("--watch", is_flag=True, help="Stay and take in what is written, until interrupted.")
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
@click.option("--no-embed", is_flag=True, help="Leave out the vectors by which turns are found by their meaning.")
@click.option("--until-eof", is_flag=True, hidden=True, help="End when standard input closes.")
@reports_errors
def index(
    sources: tuple[Path, ...],
    data_dir: Path | None,
    as_json: bool,
    watch: bool,
    quiet: bool,
    no_embed: bool,
    until_eof: bool,
) -> None:
    """Read new and changed transcripts into the index."""
    from memtui.logs import configure
    from memtui_core.index import Index
    from memtui_core.ingest.watch import watch_locations
    from memtui_core.readers.locations import chosen_locations
    from memtui_core.system import locations
    from memtui_core.system.machine import lower_priority

    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    if until_eof:
        threading.Thread(target=_wait_for_eof, args=(stop,), daemon=True).start()
    if watch:
        # Somebody works at this machine meanwhile, while one run is waited for.
        lower_priority()
    configure(locations.data_dir(data_dir))
    where = chosen_locations(sources)
    show = not quiet and sys.stderr.isatty()
    with _indexer(locations.data_dir(data_dir), inf if watch else PATIENCE, stop, quiet=quiet) as indexer:
        if indexer.work.restore_reason and not quiet:
            say(f"The index could not be opened and was taken back to its last snapshot: {indexer.work.restore_reason}")
        _show(indexer.update(where, stop.is_set), show)
        embedder = None if no_embed or stop.is_set() else _embedder(quiet=quiet)
        if watch:
            watch_locations(indexer, where, stop, embedder)
        elif embedder is not None:
            if not (quiet or show):
                say("Making vectors, which may take minutes; words and paths are found already.")
            _show(indexer.embed(embedder, stop.is_set), show)
        counts = indexer.counts
    stats = Index.open(locations.data_dir(data_dir)).stats()
    if as_json:
        print_json(
            [
                {
                    "files_read": counts.files_read,
                    "turns_written": counts.turns_written,
                    "texts_embedded": counts.texts_embedded,
                    "sessions": stats.sessions,
                    "turns": stats.turns,
                    "sources": stats.sources,
                    "failed_sources": stats.bad_sources,
                    "skipped_lines": stats.skipped_lines,
                }
            ]
        )
    elif not quiet:
        from memtui.formatting import plural

        say(
            f"{plural(counts.files_read, 'file')} read, {plural(counts.turns_written, 'turn')} written. The index holds"
            f" {plural(stats.sessions, 'session')}, {plural(stats.turns, 'turn')}."
        )
        if stats.bad_sources or stats.skipped_lines:
            unread = ((stats.bad_sources, "file"), (stats.skipped_lines, "line"))
            names = " and ".join(plural(count, noun) for count, noun in unread if count)
            say(f"{names} could not be read: memtui doctor")
    if stop.is_set() and not watch:
        sys.exit(1)


def _indexer(folder: Path, wait: float, stop: threading.Event, *, quiet: bool) -> Indexer:
    """Take the data folder, or wait for who has it."""
    from memtui_core.errors import IndexerBusy
    from memtui_core.ingest.indexer import Indexer

    try:
        return Indexer(folder)
    except IndexerBusy:
        if not quiet:
            say(f"Waiting for another memtui that is indexing into {folder} …")
        return Indexer(folder, wait=wait, stopped=stop.is_set)


def _show(reports: Iterator[Progress], show: bool) -> None:
    """Let the indexer work, with a line of progress where somebody looks."""
    from memtui import clock
    from memtui.formatting import work

    for progress in reports:
        if show:
            say_progress(" · ".join(work(progress, clock.now())))
    if show:
        say_progress()


def _embedder(*, quiet: bool) -> Embedder | None:
    """The model of the settings; without it words and paths are indexed all the same."""
    from memtui.config import load_config
    from memtui_core.embed import open_model
    from memtui_core.errors import ModelUnavailable
    from memtui_core.system import locations
    from memtui_core.system.machine import model_threads, processors

    # The app reads the settings, too, and has told what is wrong in them.
    model = (load_config(locations.config_file()) if quiet else settings()).model
    try:
        return open_model(model, model_threads(processors()))
    except ModelUnavailable as error:
        # The app, too, is to hear of it: `--quiet` leaves errors out of nothing.
        say(f"memtui: {error}")
        return None


def _wait_for_eof(stop: threading.Event) -> None:
    """The app that started this process keeps its end of the pipe open for as long as it lives."""
    # Not by sys.stdin: its lock, held by a thread that waits, would abort the interpreter at its end.
    with suppress(OSError):
        while os.read(0, 1024):
            pass
    stop.set()
