"""`memtui doctor`: the state of every source, of the index and of the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.doctor_agents import agent_lines, searched_agents
from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import print_json, say, short_time, show
from memtui.log_file import VARIABLE, level_name, log_file

if TYPE_CHECKING:
    from memtui.config import Config
    from memtui_core.queries.sources import SourceRow
    from memtui_core.search.vector_report import VectorReport
    from memtui_core.store.storage import Storage

_HEALTHY = {"ok", "copy", "ignored", "empty", "excluded"}


@click.command()
@data_dir_option
@json_option
@reports_errors
def doctor(data_dir: Path | None, as_json: bool) -> None:
    """Show the state of every source, where each agent was looked for, the size of the index, and the log.

    Settings and keys that have no effect are named, too.
    """
    from memtui.config import load_config
    from memtui_core.memory.health import log_health
    from memtui_core.queries.prices import prices_health
    from memtui_core.system import locations

    index, folder = open_index(data_dir), locations.data_dir(data_dir)
    agents = searched_agents(index.counts_by_agent())
    config = load_config(locations.config_file())
    report = index.vector_report(config.vectors)
    rows = [*index.sources(), *log_health(folder), *prices_health(locations.prices_file())]
    if as_json:
        own = {
            **index_object(folder, index.storage()),
            "vectors": vectors_object(report),
            "agents": [agent.as_json() for agent in agents],
        }
        print_json([*(source_object(row) for row in rows), own])
    else:
        for line in (
            *_source_lines(rows),
            *agent_lines(agents),
            *_storage_lines(folder, index.storage()),
            *_vector_lines(report),
            *_log_lines(folder),
        ):
            show(line)
    # At the end, where they are seen below the many lines before.
    for warning in (*config.warnings, *_keymap_warnings(config)):
        say(f"memtui: {warning}")


def _keymap_warnings(config: Config) -> list[str]:
    if not config.keymap:
        return []
    # Loads the app.
    from memtui.keymap_check import keymap_warnings

    return keymap_warnings(config.keymap)


def source_object(row: SourceRow) -> dict[str, Any]:
    """A source as JSON; `skipped` lists the lines that could not be read, with 0-based numbers."""
    return {
        "path": row.path,
        "agent": row.agent,
        "session_ids": list(row.session_ids),
        "state": row.state,
        "lines": row.lines,
        "skipped": [{"line": line, "reason": reason} for line, reason in row.skipped],
        "error": row.error,
    }


def index_object(folder: Path, storage: Storage) -> dict[str, Any]:
    """The index itself as JSON: the fields of a source, its size on the disk and the path of the log."""
    return {
        "path": str(folder),
        "agent": "memtui",
        "session_ids": [],
        "state": "ok",
        "lines": 0,
        "skipped": [],
        "error": None,
        "storage": {field.name: getattr(storage, field.name) for field in fields(storage)},
        "log": str(log_file(folder)),
    }


def _source_lines(rows: Sequence[SourceRow]) -> Iterator[str]:
    """The number of sources in each state, then the sources with a problem and its reason."""
    counts = Counter(row.state for row in rows)
    yield f"{len(rows)} files: " + ", ".join(f"{count} {state}" for state, count in counts.most_common())
    for row in rows:
        if row.state in _HEALTHY:
            continue
        yield f"\n{row.state:8} {row.path}"
        if row.error:
            yield f"         {row.error}"
        for line, reason in row.skipped:
            yield f"         line {line + 1}: {reason}"


def _storage_lines(folder: Path, storage: Storage) -> Iterator[str]:
    """The size of the index on the disk, and how much was written to keep it up to date."""
    from memtui.formatting import size

    yield f"\nindex    {folder}"
    yield f"         base     {size(storage.base)}, written {short_time(storage.base_at)}"
    yield f"         delta    {size(storage.delta)}, and {size(storage.journal)} in the journal"
    others = f"{size(storage.lexicon)} of words, {size(storage.vectors)} of vectors, {size(storage.work)} of work"
    yield f"         others   {others}"
    written = "" if storage.written is None else f"; {size(storage.written)} written since the indexer's start"
    since = f", {short_time(storage.indexer_since)}" if written else ""
    yield f"         newest   {short_time(storage.published_at)}{written}{since}"


def vectors_object(report: VectorReport) -> dict[str, Any]:
    """What answers searches by meaning, as JSON."""
    return {field.name: getattr(report, field.name) for field in fields(report)}


def _vector_lines(report: VectorReport) -> Iterator[str]:
    """What answers searches by meaning, and why."""
    from memtui.formatting import size

    yield f"\nmeaning  {report.vectors:,} vectors"
    if report.answer == "hnsw":
        yield "         searches without filters are answered by the HNSW index, others by comparing all vectors"
    elif report.answer == "exact":
        yield f"         answered by comparing all vectors: {report.reason}"
    if report.indexed:
        built = f"{size(report.bytes)}, built {short_time(report.built_at)}"
        yield f"         index    of {report.indexed:,} vectors, {built}"


def _log_lines(folder: Path) -> Iterator[str]:
    """The path and the level of the log."""
    yield f"\nlog      {log_file(folder)}"
    yield f"         level    {level_name()} ({VARIABLE})"
