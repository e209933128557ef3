"""`memtui forget`: remove sessions from the index, for good after 30 days."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors, settings
from memtui.cli.output import ask, fields_of, print_json, say, show

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.model import SelectedSessions
    from memtui_core.readers.exclusions import Exclusions

_MOST_LISTED = 12
"""Sessions that are listed by their titles; more are counted by project."""


class _Selection(NamedTuple):
    """The sessions that are to be forgotten."""

    keys: frozenset[int]
    """Subagents included."""
    how: str = ""
    """How they were found, if that is not plain."""


@click.command()
@click.argument("names", nargs=-1, metavar="[SESSION|PROJECT]...")
@click.option("--before", metavar="DATE", help="Only sessions that ended before: 90d, 2026, 2026-03-01.")
@click.option("--matching", metavar="QUERY", help="Only sessions with a turn that has every word of the query.")
@click.option("--excluded", is_flag=True, help="What the settings exclude, or keep less of; also without arguments.")
@click.option("--dry-run", is_flag=True, help="Show what would be forgotten, and stop.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--list", "lists", is_flag=True, help="List what can be brought back, and until when.")
@click.option("--undo", is_flag=True, help="Bring back what was forgotten last, or by the ids of --list.")
@click.option("--now", is_flag=True, help="Remove for good what --list shows, all or by ids.")
@json_option
@data_dir_option
@reports_errors
def forget(
    names: tuple[str, ...],
    before: str | None,
    matching: str | None,
    excluded: bool,
    dry_run: bool,
    yes: bool,
    lists: bool,
    undo: bool,
    now: bool,
    as_json: bool,
    data_dir: Path | None,
) -> None:
    """Forget sessions: at once for all views and agents, for good after 30 days.

    SESSION is an id or the beginning of one, PROJECT a name or a folder, as the
    filter project: takes it; session:ID and project:NAME say which is meant.
    --before and --matching narrow what is named, or select from all sessions.
    QUERY has words, phrases, paths and filters, and never goes by meaning.

    Shows what goes, and asks. A session goes with its subagents. Nothing brings
    it back but --undo: no transcript that is read again or copied, no archive
    and no import. What is added to it later is not indexed either. Transcripts
    and observations are not touched. If a team was joined, the next
    memtui team push removes the sessions from its server, for good.

    Without arguments: what the settings exclude. Of projects of which
    [retention] keeps less than is stored, the rest goes, for good.
    """
    from memtui.cli.keeping import forgotten
    from memtui_core.system import locations

    folder = locations.data_dir(data_dir)
    if sum((lists, undo, now)) > 1 or ((lists or undo or now) and (before or matching or excluded or dry_run)):
        raise click.UsageError("--list, --undo and --now go with no other option.")
    if lists:
        forgotten.show_waiting(folder, as_json=as_json)
    elif undo:
        forgotten.bring_back(folder, names)
    elif now:
        forgotten.purge(folder, names, yes=yes)
    elif names or before or matching:
        if excluded:
            raise click.UsageError("--excluded goes with no name, --before or --matching.")
        _forget_selected(folder, names, before, matching, dry_run=dry_run, yes=yes, as_json=as_json)
    else:
        _forget_excluded(folder, dry_run=dry_run, yes=yes, as_json=as_json)


def _forget_selected(
    folder: Path,
    names: Sequence[str],
    before: str | None,
    matching: str | None,
    *,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    from memtui_core.index.index import Index

    index = Index.open(folder)
    try:
        selection = _selected(index, names, before, matching)
        if not selection.keys:
            say("No session is meant by that.")
            return
        _show(index, selection, as_json=as_json)
        if dry_run:
            return
        identities = _identities(index, selection.keys)
    finally:
        index.close()
    if not yes:
        ask("Forget these sessions?", "Nothing was forgotten.")
    _forget(folder, identities, keeps_away=True)


def _forget_excluded(folder: Path, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    from memtui.wording.formatting import plural
    from memtui_core.index.index import Index
    from memtui_core.ingest.kept.shrinking import kept_too_much
    from memtui_core.search.selection import selected_sessions
    from memtui_core.store.requests import SHRINK
    from memtui_core.system import locations

    config = settings()
    if not (config.exclusions or config.retention):
        say(f"Nothing is excluded: {locations.config_file()} has no setting exclude and no table retention.")
        return
    index = Index.open(folder)
    try:
        selection = _Selection(_excluded(index, config.exclusions))
        larger = {key for key in kept_too_much(index.snapshot, config.retention) if key not in selection.keys}
        if not (selection.keys or larger):
            say("The index contains nothing that is excluded.")
            return
        if selection.keys:
            _show(index, selection, as_json=as_json)
        for row in selected_sessions(index.snapshot, larger):
            say(f"{row.project}: of {plural(row.turns, 'turn')} more is stored than retention keeps.")
        if dry_run:
            return
        identities = _identities(index, selection.keys)
    finally:
        index.close()
    if not yes:
        ask("Remove this from the index?", "Nothing was removed.")
    if identities:
        _forget(folder, identities, keeps_away=False)
    if larger:
        from memtui.cli.keeping.forgotten import done_by_indexer

        answer = done_by_indexer(folder, SHRINK, {"retention": dict(config.retention.levels)})
        say(f"Of {plural(len(answer['sessions']), 'session')} only what retention says is kept.")


def _forget(folder: Path, identities: Sequence[Sequence[Any]], *, keeps_away: bool) -> None:
    """Forget sessions, and say how they are brought back."""
    from memtui.cli.keeping.forgotten import done_by_indexer
    from memtui.wording.formatting import plural
    from memtui_core.store.requests import FORGET
    from memtui_team.forgotten import tell_team

    # Remembered first, so that nothing is pushed again if this process dies.
    tell_team(folder, [(agent, session_id) for agent, session_id, _ in identities])
    answer = done_by_indexer(folder, FORGET, {"sessions": identities, "keeps_away": keeps_away})
    sessions = answer["sessions"]
    if not sessions:
        say("These sessions are not in the index any more.")
        return
    # The indexer may know more subagents than the snapshot had.
    tell_team(folder, [(agent, own) for agent, own, parent in sessions if [agent, own, parent] not in identities])
    say(f"{plural(len(sessions), 'session')} forgotten, subagents included.")
    if keeps_away:
        say("What is added to them later is not indexed either.")
    say(f"For 30 days, memtui forget --undo {answer['id']} brings them back.")


def _selected(index: Index, names: Sequence[str], before: str | None, matching: str | None) -> _Selection:
    """The sessions that the arguments of the command name. Raises NothingSelected and SessionUnknown."""
    from datetime import datetime

    from memtui.wording.formatting import plural
    from memtui_core.search.selection import ended_before, named_sessions, with_subagents

    now, how = datetime.now().astimezone(), ""
    keys: set[int] | None = None
    for name in names:
        keys = (keys or set()) | named_sessions(index.snapshot, name)
    if before is not None:
        ended = ended_before(index.snapshot, before, now)
        keys = ended if keys is None else keys & ended
    if matching is not None:
        matches = index.search.sessions_matching(matching, now)
        keys = set(matches.sessions) if keys is None else keys & matches.sessions
        how = (
            f"Found by words, filters and paths, not by meaning: {plural(matches.turns, 'turn')} with all of the query"
            f" in {plural(len(matches.sessions), 'session')}."
        )
    return _Selection(frozenset(with_subagents(index.snapshot, keys or set())), how)


def _excluded(index: Index, exclusions: Exclusions) -> frozenset[int]:
    from memtui_core.ingest.sources.removal import SESSIONS_TO_CHECK, SOURCES_TO_CHECK, excluded_keys

    snapshot = index.snapshot
    if not exclusions:
        return frozenset()
    return frozenset(excluded_keys(snapshot.rows(SOURCES_TO_CHECK), snapshot.rows(SESSIONS_TO_CHECK), exclusions))


def _identities(index: Index, keys: Collection[int]) -> list[list[Any]]:
    from memtui_core.search.selection import identities

    return [list(one) for one in identities(index.snapshot, keys)]


def _show(index: Index, selection: _Selection, *, as_json: bool) -> None:
    """Print what goes: by project, and the titles of a few."""
    from memtui_core.search.selection import selected_sessions

    rows = selected_sessions(index.snapshot, selection.keys)
    if as_json:
        names = ("project", "agent", "sessions", "subagents", "turns", "compactions", "first", "last")
        print_json([fields_of(row, *names) for row in rows])
        return
    for row in rows:
        show(_line(row))
    tops = [key for key in selection.keys if index.sessions.get(key).parent not in selection.keys]
    if len(tops) <= _MOST_LISTED:
        for session in sorted(map(index.sessions.get, tops), key=lambda one: (str(one.started_at), one.session_id)):
            show(f"  {session.session_id}  {session.title}")
    if selection.how:
        say(selection.how)


def _line(row: SelectedSessions) -> str:
    """What goes of a project, in a line."""
    from memtui.wording.formatting import day, plural

    first, last = day(row.first), day(row.last)
    facts = [
        f"{plural(row.sessions, 'session')} of {row.agent}",
        first if first == last else f"{first} – {last}",
        plural(row.turns, "turn"),
        plural(row.subagents, "subagent") if row.subagents else "",
        plural(row.compactions, "compaction") if row.compactions else "",
    ]
    return f"{row.project}: {', '.join(filter(None, facts))}"
