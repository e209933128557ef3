"""`memtui index`: update the index, once or continuously."""

from __future__ import annotations

import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.options import agent_option, data_dir_option, json_option, reports_errors, settings, sources_option
from memtui.cli.output import print_json, say

if TYPE_CHECKING:
    from memtui_core.ingest.last_run import IndexFigures
    from memtui_core.ingest.writing.index_writer import Counts
    from memtui_core.readers.base import Reader
    from memtui_core.readers.locations import Location
    from memtui_core.store.data_folder import DataDir


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
    from memtui.cli.launch import kept_sources
    from memtui.settings.config import settings_in_use
    from memtui.system.logs import configure
    from memtui_core.ingest.kept.waiting_days import has_forget_work
    from memtui_core.ingest.last_run import read_last_run
    from memtui_core.ingest.machines.declared import mirrors_of
    from memtui_core.readers.locations import chosen_locations
    from memtui_core.store.data_folder import DataDir
    from memtui_core.store.requests import Requests
    from memtui_core.system import locations
    from memtui_core.system.failures import risk_of
    from memtui_core.system.machine import lower_priority
    from memtui_core.system.processes.ending import end_with_starter

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
    data = DataDir(locations.data_dir(data_dir))
    if not quiet and (risk := risk_of(data.path)):
        say(f"memtui: {risk}")

    def located() -> list[Location]:
        return chosen_locations(
            sources or kept_sources(data),
            agent.agent if agent else None,
            added=config.sources,
            mirrors=mirrors_of(data),
            exclusions=config.exclusions,
        )

    if pull and not watch:
        _pull(data, stop, quiet=quiet)
    transcript_locations = located()
    # A watcher needs only what was recognized, in locations of any agent.
    last_run = None if watch and all(one.agent for one in transcript_locations) else read_last_run(data)
    if (
        last_run is not None
        and not (watch or has_forget_work(data) or Requests(data).has_pending)
        and not (config.archive and time.time() >= last_run.archives_at)
        and last_run.left_nothing(
            data, transcript_locations, config.exclusions, None if no_embed else config.model, config.vectors
        )
    ):
        _report(last_run.figures, None, as_json=as_json, quiet=quiet)
        return
    # A run with nothing to do has loaded none of the engines.
    from memtui.cli.keeping.index_run import IndexRun, RunOptions

    options = RunOptions(sources, agent.agent if agent else None, watch, quiet, not no_embed, until_eof)
    run = IndexRun(data, options, config, stop, transcript_locations, located)
    run.mend()
    handed = None if watch else run.hand_over()
    counts, figures = handed or run.run(last_run)
    _report(figures, counts, as_json=as_json, quiet=quiet)
    if stop.is_set() and not watch and handed is None:
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
            f"{plural(files, 'file')} read. The index holds {plural(figures.sessions, 'session')},"
            f" {plural(figures.turns, 'turn')}."
        )
        if figures.bad_sources or figures.skipped_lines:
            unread = ((figures.bad_sources, "file"), (figures.skipped_lines, "line"))
            names = " and ".join(plural(count, noun) for count, noun in unread if count)
            say(f"{names} could not be read: memtui doctor")


def _pull(data: DataDir, stop: threading.Event, *, quiet: bool) -> None:
    """Pull from all machines; one that does not answer is named, and is no error of the index."""
    from memtui.cli.keeping.machine import pull_from
    from memtui_core.ingest.machines.declared import machines_of

    pull_from(data, machines_of(data), stop.is_set, quiet=quiet)
