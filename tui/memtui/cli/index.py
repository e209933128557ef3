"""`memtui index`: bring the index up to date, once or for as long as somebody looks."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors, sources_option
from memtui.cli.output import print_json, say, say_progress

if TYPE_CHECKING:
    from memtui_core.embed import Embedder
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
    from memtui_core import places
    from memtui_core.index import Index
    from memtui_core.ingest.indexer import Indexer
    from memtui_core.ingest.watch import watch_places

    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    if until_eof:
        threading.Thread(target=_wait_for_eof, args=(stop,), daemon=True).start()
    if watch:
        # Somebody works at this machine meanwhile.
        os.nice(10)
    where = places.chosen_places(sources)
    show = not quiet and sys.stderr.isatty()
    with Indexer(places.data_dir(data_dir), wait=inf if watch else PATIENCE, stopped=stop.is_set) as indexer:
        if indexer.work.lost and not quiet:
            say(f"The index could not be opened and was taken back to its last snapshot: {indexer.work.lost}")
        _show(indexer.update(where, stop.is_set), show)
        embedder = None if no_embed or stop.is_set() else _embedder(watch=watch, quiet=quiet)
        if watch:
            watch_places(indexer, where, stop, embedder)
        elif embedder is not None:
            if not (quiet or show):
                say("Making vectors, which may take minutes; words and paths are found already.")
            _show(indexer.embed(embedder, stop.is_set), show)
        counts = indexer.counts
    stats = Index.open(places.data_dir(data_dir)).stats()
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
        from memtui.present import plural

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


def _show(reports: Iterator[Progress], show: bool) -> None:
    """Let the indexer work, with a line of progress where somebody looks."""
    for progress in reports:
        if show:
            share = 100 if not progress.total else round(100 * progress.done / progress.total)
            what = f"{progress.sources} files" if progress.stage == "reading" else f"{progress.total} turns"
            say_progress(f"{progress.stage} {share:3} %  {what}")
    if show:
        say_progress()


def _embedder(*, watch: bool, quiet: bool) -> Embedder | None:
    """The model of the settings; without it words and paths are indexed all the same (SPEC S4.26)."""
    from memtui.config import load_config
    from memtui_core import places
    from memtui_core.embed import open_model
    from memtui_core.errors import ModelUnavailable

    model = load_config(places.config_file()).model
    threads = os.cpu_count() or 1
    if watch:
        threads = max(1, threads // 2)
    try:
        return open_model(model, threads)
    except ModelUnavailable as error:
        if not quiet:
            say(str(error))
        return None


def _wait_for_eof(stop: threading.Event) -> None:
    """The app that started this process keeps its end of the pipe open for as long as it lives."""
    while sys.stdin.buffer.read(1024):
        pass
    stop.set()
