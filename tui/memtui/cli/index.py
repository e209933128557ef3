"""`memtui index`: bring the index up to date, once or for as long as somebody looks."""

from __future__ import annotations

import signal
import sys
import threading
from math import inf
from pathlib import Path

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors, sources_option
from memtui.cli.output import print_json, say

PATIENCE = 60
"""Seconds that a single run waits for another indexer to end."""


@click.command()
@sources_option
@data_dir_option
@json_option
@click.option("--watch", is_flag=True, help="Stay and take in what is written, until interrupted.")
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
@click.option("--until-eof", is_flag=True, hidden=True, help="End when standard input closes.")
@reports_errors
def index(
    sources: tuple[Path, ...], data_dir: Path | None, as_json: bool, watch: bool, quiet: bool, until_eof: bool
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
    where = places.chosen_places(sources)
    show = not quiet and sys.stderr.isatty()
    with Indexer(places.data_dir(data_dir), wait=inf if watch else PATIENCE, stopped=stop.is_set) as indexer:
        if indexer.work.lost and not quiet:
            say(f"The index could not be opened and was taken back to its last snapshot: {indexer.work.lost}")
        for progress in indexer.update(where, stop.is_set):
            if show:
                share = 100 if not progress.total else round(100 * progress.done / progress.total)
                click.echo(f"\rindexing {share:3} %  {progress.sources} files", nl=False, err=True)
        if show:
            click.echo("\r\x1b[K", nl=False, err=True)
        if watch:
            watch_places(indexer, where, stop)
        counts = indexer.counts
    stats = Index.open(places.data_dir(data_dir)).stats()
    if as_json:
        print_json(
            [
                {
                    "files_read": counts.files_read,
                    "turns_written": counts.turns_written,
                    "sessions": stats.sessions,
                    "turns": stats.turns,
                    "sources": stats.sources,
                    "failed_sources": stats.bad_sources,
                    "skipped_lines": stats.skipped_lines,
                }
            ]
        )
    elif not quiet:
        say(
            f"{counts.files_read} files read, {counts.turns_written} turns written. The index holds"
            f" {stats.sessions} sessions, {stats.turns} turns."
        )
        if stats.bad_sources or stats.skipped_lines:
            say(f"{stats.bad_sources} files and {stats.skipped_lines} lines could not be read: memtui doctor")
    if stop.is_set() and not watch:
        sys.exit(1)


def _wait_for_eof(stop: threading.Event) -> None:
    """The app that started this process keeps its end of the pipe open for as long as it lives."""
    while sys.stdin.buffer.read(1024):
        pass
    stop.set()
