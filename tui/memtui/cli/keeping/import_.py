"""`memtui import`: what another data folder holds, from a backup or an export of it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors, settings
from memtui.cli.output import percent_reporter, print_json, say
from memtui_core.errors import MemtuiError

if TYPE_CHECKING:
    from memtui.settings.config import Config
    from memtui_core.ingest.indexer import Indexer
    from memtui_core.ingest.kept.importing import ImportCounts
    from memtui_core.store.data_folder import DataDir

WAIT = 10
"""Seconds to wait for an indexer that is running; it does not end while an app is open."""


@click.command("import")
@click.argument("source", metavar="FILE|DIR", type=click.Path(path_type=Path, exists=True))
@data_dir_option
@json_option
@reports_errors
def import_(source: Path, data_dir: Path | None, as_json: bool) -> None:
    """Take over what a backup (memtui backup) or an export (memtui export --all) holds.

    Where nothing is indexed yet, the index becomes that of the backup. Otherwise sessions, observations and marks are
    added that are not there; what is there stays, and what was forgotten here does not come back. memtui index then
    reads the transcripts of this machine.
    """
    from memtui.system.logs import configure
    from memtui_core.ingest.kept.importing import ImportCounts, is_export
    from memtui_core.store.data_folder import DataDir
    from memtui_core.system import locations

    config, data, counts = settings(), DataDir(locations.data_dir(data_dir)), ImportCounts()
    if source.is_dir() and not is_export(source):
        raise MemtuiError(f"{source} is no export of memtui: it has no manifest.json.")
    configure(data.path)
    if source.is_dir():
        _import_export(data, source, config, counts)
    else:
        _import_backup(data, source, config, counts)
    if as_json:
        print_json([asdict(counts)])
    else:
        _say(counts)


def _import_export(data: DataDir, source: Path, config: Config, counts: ImportCounts) -> None:
    from memtui_core.ingest.kept.importing import Export, insert_sessions, take_rest

    export = Export(source)
    with _indexer(data, config) as indexer:
        with percent_reporter("Reading") as report:
            insert_sessions(indexer, export.groups(report), config.exclusions, counts)
        take_rest(indexer, export.rest(), counts)


def _import_backup(data: DataDir, source: Path, config: Config, counts: ImportCounts) -> None:
    from memtui_core.ingest.kept.importing import (
        groups_of_backup,
        has_index,
        insert_sessions,
        move_in,
        publish_moved,
        rest_of_backup,
        take_rest,
        unpacked,
    )
    from memtui_core.store.work.lock import acquire

    with percent_reporter("Reading") as report, unpacked(data, source, report) as other:
        rest = rest_of_backup(other)
        lock = acquire(data, "memtui import", WAIT)
        try:
            # A whole index has what the settings may not keep.
            is_new = not (has_index(data) or config.exclusions or config.retention)
            if is_new:
                move_in(data, other)
        finally:
            lock.release()
        with _indexer(data, config) as indexer:
            if is_new:
                publish_moved(indexer, counts)
            else:
                insert_sessions(indexer, groups_of_backup(other), config.exclusions, counts)
            take_rest(indexer, rest, counts)


def _indexer(data: DataDir, config: Config) -> Indexer:
    from memtui_core.ingest.indexer import Indexer

    return Indexer(data.path, WAIT, exclusions=config.exclusions, what="memtui import", retention=config.retention)


def _say(counts: ImportCounts) -> None:
    from memtui.wording.formatting import plural

    say(f"{plural(counts.sessions, 'session')} taken over, subagents included.")
    if counts.known:
        say(f"{plural(counts.known, 'session')} {'was' if counts.known == 1 else 'were'} here already.")
    if counts.refused:
        say(f"{plural(counts.refused, 'session')} left out: forgotten here, or excluded by the settings.")
    if counts.transcripts:
        say(f"{plural(counts.transcripts, 'transcript')} can be restored here.")
    if counts.lines:
        say(f"{plural(counts.lines, 'line')} of observations and marks added.")
    if counts.tombstones:
        say(f"{plural(counts.tombstones, 'session')} that was forgotten there will not come here.")
