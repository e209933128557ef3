"""`memtui doctor`: the agents, what needs attention, the state of the index and of the log."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.keeping.doctor.agents import agent_lines, found_lines, searched_agents
from memtui.cli.keeping.machine import machine_rows
from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import fields_of, print_json, say, short_time, show, stdout_width
from memtui.system.log_file import VARIABLE, level_name, log_file
from memtui_core.errors import IndexMissing

if TYPE_CHECKING:
    from memtui.cli.keeping.doctor.attention import Finding
    from memtui_core.index.index import Index
    from memtui_core.queries.sources import SourceRow
    from memtui_core.queries.statistics.saved import Sweep
    from memtui_core.search.embed.ways import Choice
    from memtui_core.search.vectors.report import VectorReport
    from memtui_core.store.snapshot.storage import Storage

_STATES: Final = {
    "ok": "read",
    "copy": "copies of others",
    "prompts": "prompts without a transcript",
    "superseded": "prompts of known sessions",
    "partial": "read in part",
    "waiting": "to be continued",
    "error": "not readable",
    "ignored": "ignored",
    "empty": "empty",
    "excluded": "excluded by the settings",
    "forgotten": "forgotten by you",
    "gone": "deleted, which memtui keeps",
}
"""What became of a file, in the order in which it is listed."""


@click.command()
@data_dir_option
@json_option
@click.option("--secrets", is_flag=True, help="List where secrets were replaced, without showing them, and stop.")
@click.option("--report", is_flag=True, help="Print the structure of the transcripts as JSON, without their texts.")
@click.option("--check", "is_check", is_flag=True, help="Only read all of the index, and name what is damaged.")
@click.option("--repair", "is_repair", is_flag=True, help="Mend the index, and remove what was moved aside before.")
@reports_errors
def doctor(data_dir: Path | None, as_json: bool, secrets: bool, report: bool, is_check: bool, is_repair: bool) -> None:
    """Show which agents were found, what needs attention and why, the size of the index, the settings and the log.

    Ends with 1 if a part of the index is damaged, or does not agree with the others. --check reads every block and
    compares all checksums. --repair does the same, makes again what can be made again and says what it did.

    Before anything is indexed it names the agents that were found. Settings and keys that have no effect are
    named, too. With --json every file is listed. With --report the keys and kinds of entries are printed that the
    agents write, for an issue: no text, path, name or number.
    """
    from memtui.cli.keeping.doctor.attention import findings
    from memtui.settings.config import settings_in_use
    from memtui.system import clock
    from memtui_core.memory.observations.health import log_health
    from memtui_core.queries.statistics.drift import drifts_of
    from memtui_core.queries.statistics.prices import prices_health
    from memtui_core.readers.locations import chosen_locations
    from memtui_core.readers.registry import broken_agents
    from memtui_core.search.embed.ways import read_choice
    from memtui_core.store.data_folder import DataDir
    from memtui_core.system import locations
    from memtui_core.system.failures import risk_of

    folder = locations.data_dir(data_dir)
    if is_check or is_repair:
        from memtui.cli.keeping.doctor.index_health import check, print_damage, repair

        if is_repair:
            sys.exit(0 if repair(DataDir(folder)) else 1)
        found = check(DataDir(folder))
        if as_json:
            print_damage(found)
        sys.exit(1 if found else 0)
    from memtui.cli.keeping.doctor.index_health import health_lines, health_object
    from memtui.cli.keeping.forgotten import kept_figures, kept_lines
    from memtui_core.ingest.kept.health import index_health

    try:
        index = open_index(data_dir)
    except IndexMissing:
        if not (as_json or secrets or report):
            for line in found_lines(searched_agents({}), stdout_width()):
                show(line)
        raise
    if secrets:
        from memtui.cli.keeping.doctor.secrets import print_secrets

        print_secrets(index, as_json=as_json)
        return
    if report:
        _print_report(index)
        return
    agents = searched_agents(index.statistics.by_agent())
    config = settings_in_use()
    vectors = index.vectors.report(config.vectors, tried=True)
    embedding = read_choice(DataDir(folder).embedding) if config.embedding == "auto" else None
    broken = broken_agents()
    machines = machine_rows(DataDir(folder))
    health = index_health(DataDir(folder), index.snapshot)
    kept = kept_figures(folder, index, config.retention)
    own_locations = chosen_locations((), added=config.sources, exclusions=config.exclusions)
    sweeps = index.statistics.sweeps(own_locations, clock.now())
    logs = [*log_health(folder), *index.annotations.health(), *prices_health(locations.prices_file())]
    rows = [*index.statistics.sources(), *logs]
    if as_json:
        own = {
            **index_object(folder, index.statistics.storage()),
            "settings": str(locations.config_file()),
            "saved": index.statistics.saved(),
            "sweeps": [sweep_object(sweep) for sweep in sweeps],
            "vectors": vectors,
            "embedding": embedding,
            "machines": machines,
            "agents": [agent.as_json() for agent in agents],
            "broken_agents": [entry._asdict() for entry in broken],
            "health": health_object(health),
            **kept._asdict(),
        }
        print_json([*(source_object(row) for row in rows), own])
    else:
        counts = {agent.agent: agent.sessions for agent in agents}
        names = {agent.agent: agent.name for agent in agents}
        for line in (
            _source_line(rows),
            *agent_lines(agents, rows, DataDir(folder).machines, stdout_width()),
            *_attention_lines(list(findings(rows, counts, names, drifts_of(index.statistics.by_agent()), broken))),
            *_machine_lines(machines),
            *_storage_lines(folder, index.statistics.storage()),
            *_saved_lines(index.statistics.saved(), sweeps),
            *health_lines(health, folder),
            *kept_lines(kept),
            *_vector_lines(vectors),
            *_embedding_lines(embedding),
            *_team_lines(folder),
            *_settings_lines(locations.config_file()),
            *_log_lines(folder),
        ):
            show(line)
    # At the end, where they are seen below the many lines before.
    for warning in filter(None, (*_mistakes(locations.config_file()), risk_of(folder))):
        say(f"memtui: {warning}")
    if health.damage:
        sys.exit(1)


def _print_report(index: Index) -> None:
    from importlib.metadata import version

    from memtui_core.export.structure_report import structure_report

    print_json(structure_report(index.statistics.sources(), index.statistics.by_agent(), version("memtui")))


def _mistakes(settings: Path) -> list[str]:
    """What has no effect in a settings file."""
    if not settings.exists():
        return []
    # Loads the app.
    from memtui.browse.actions.settings_file import mistakes_in_file

    return [mistake.at(settings) for mistake in mistakes_in_file(settings)]


def source_object(row: SourceRow) -> dict[str, Any]:
    """A source as JSON; `skipped` lists the lines that could not be read, with 0-based numbers."""
    return {
        **fields_of(row, "path", "agent", "session_ids", "state", "lines"),
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
        "storage": storage,
        "log": str(log_file(folder)),
    }


def _source_line(rows: Sequence[SourceRow]) -> str:
    """The number of files, and what became of them."""
    from memtui.wording.formatting import plural

    counts = Counter(row.state for row in rows)
    states = ", ".join(f"{counts[state]} {text}" for state, text in _STATES.items() if counts[state])
    return f"{plural(len(rows), 'file')}{': ' if states else ''}{states}"


def _attention_lines(found: Sequence[Finding]) -> Iterator[str]:
    if not found:
        yield "\nNothing needs attention."
        return
    yield "\nneeds attention"
    for finding in found:
        yield f"         {finding.text}"
        yield from (f"           {detail}" for detail in finding.details)


def _machine_lines(machines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """When each of the other machines was seen last, and what went wrong."""
    if machines:
        yield "\nmachines"
    for one in machines:
        error = f"; {one['error']}" if one["error"] else ""
        yield f"         {one['name']}  {one['address']}, last seen {short_time(one['last_seen'])}{error}"


def _storage_lines(folder: Path, storage: Storage) -> Iterator[str]:
    """The size of the index on the disk, and how much was written to keep it up to date."""
    from memtui.wording.formatting import size

    names = ("base", "delta", "journal", "lexicon", "vectors", "work", "archive")
    yield f"\nindex    {folder}"
    yield f"         {', '.join(f'{size(getattr(storage, name))} {name}' for name in names)}"
    written = "" if storage.written is None else f"; {size(storage.written)} written since the indexer's start"
    since = f", {short_time(storage.indexer_since)}" if written else ""
    yield f"         newest {short_time(storage.published_at)}{written}{since}"


def _saved_lines(saved: int, sweeps: Sequence[Sweep]) -> Iterator[str]:
    """What agents have deleted and are about to delete."""
    from memtui.wording.kept_text import saved_text, sweep_text

    for text in filter(None, (saved_text(saved), *map(sweep_text, sweeps))):
        yield f"         {text}"


def sweep_object(sweep: Sweep) -> dict[str, Any]:
    """What an agent is about to delete, as JSON."""
    kept = sweep.retention
    setting = {"path": str(kept.settings), "key": kept.key, "days": kept.days}
    return {"agent": kept.agent, "name": kept.name, "sessions": sweep.sessions, "days": sweep.days, "setting": setting}


def _vector_lines(report: VectorReport) -> Iterator[str]:
    """What answers searches by meaning, and why."""
    from memtui.wording.formatting import plural, size

    yield f"\nmeaning  {plural(report.vectors, 'vector') if report.vectors else report.reason}"
    if report.answer == "hnsw":
        yield "         in the app and the MCP server the vector index answers; with filters all vectors are compared"
    elif report.answer == "exact":
        yield f"         answered by comparing all vectors: {report.reason}"
    if report.indexed:
        newer = f"; {report.newer:,} newer ones are compared" if report.newer else ""
        next_one = "; a newer one is being built" if report.building else ""
        built = f"{size(report.bytes)}, built {short_time(report.built_at)}{newer}{next_one}"
        yield f"         index    of {report.indexed:,} vectors, {built}"


def _embedding_lines(choice: Choice | None) -> Iterator[str]:
    """In which way new vectors are made, once that was measured."""
    if choice is not None:
        rates = ", ".join(f"{one.way} {one.rate:,.0f}" if one.rate else f"{one.way} not" for one in choice.measured)
        yield f"         new ones are made by the way {choice.way}; tokens a second when it was chosen: {rates}"


def _team_lines(folder: Path) -> Iterator[str]:
    """The team that was joined, and whether its server answers."""
    from memtui_team.address import TeamAddress
    from memtui_team.connection import connect, place_of
    from memtui_team.errors import TeamError

    try:
        address = TeamAddress.load(folder)
        if address is None:
            return
        connect(address.url).close()
        text = f"{place_of(address.url)} answers; {address.member}, device {address.device}"
    except TeamError as error:
        text = str(error)
    yield f"\nteam     {text}"


def _settings_lines(file: Path) -> Iterator[str]:
    """The path of the settings, and what makes them if there are none."""
    yield f"\nsettings {file}{'' if file.exists() else ', not made yet: memtui config'}"


def _log_lines(folder: Path) -> Iterator[str]:
    """The path and the level of the log."""
    yield f"\nlog      {log_file(folder)}, level {level_name()} ({VARIABLE})"
