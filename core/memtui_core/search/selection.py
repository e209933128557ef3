"""Which sessions a command is about: by their ids and projects, by their age, and by what is in their turns.

Unlike a search, a selection has no limit and guesses nothing: what it names is changed or removed.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from memtui_core.errors import NothingSelected, SessionUnknown
from memtui_core.model import SelectedSessions, SessionsToForget
from memtui_core.queries.activity.endings import unfinished
from memtui_core.queries.columns import Columns, label, timestamp
from memtui_core.queries.sessions import find_session
from memtui_core.search.filters.filter import FilterContext
from memtui_core.search.filters.names import PROJECT
from memtui_core.search.filters.times import parse_time
from memtui_core.search.path_search import resolve_files
from memtui_core.search.query_parser import parse, resolve_scope
from memtui_core.store.lexicon.query import MAX_CLAUSES, read_clauses
from memtui_core.store.marks.tombstones import SessionIdentity
from memtui_core.store.tables import key_condition
from memtui_core.text.controls import stored
from memtui_core.text.machine_folders import MACHINE

if TYPE_CHECKING:
    from memtui_core.model import Project
    from memtui_core.search.engines import LocalStore
    from memtui_core.store.snapshot.reader import Snapshot

_MACHINE: Final = MACHINE.format("s")
_SESSION: Final = "session:"
_PROJECT: Final = "project:"
_TREES: Final = """
    WITH RECURSIVE tree(top, key) AS (
        SELECT key, key FROM sessions WHERE parent IS NULL
        UNION SELECT t.top, s.key FROM sessions s JOIN tree t ON s.parent = t.key
    )
"""
"""Each session that no other one started, with all sessions below it."""


class TurnMatches(NamedTuple):
    """What a query selects."""

    sessions: frozenset[int]
    """Sessions that no other one started: they, or a subagent of theirs, have such a turn."""
    turns: int


def named_sessions(snapshot: Snapshot, name: str) -> set[int]:
    """The session of an id or of the beginning of one, or those of a project as the filter `project:` finds it.

    `session:ID` and `project:NAME` say which of both is meant. Raises NothingSelected if there is neither, or if there
    are both, and SessionUnknown if several ids begin so.
    """
    if name.startswith(_PROJECT):
        keys = _in_project(snapshot, name.removeprefix(_PROJECT))
        if not keys:
            raise NothingSelected(f"There is no project {name.removeprefix(_PROJECT)!r}.")
        return keys
    if name.startswith(_SESSION):
        return {find_session(snapshot, name.removeprefix(_SESSION)).key}
    in_project = _in_project(snapshot, name)
    try:
        session = find_session(snapshot, name).key
    except SessionUnknown as error:
        if not in_project:
            if "sessions have an id" in str(error):
                raise
            raise NothingSelected(f"There is no session whose id begins with {name!r}, and no such project.") from error
        return in_project
    if in_project:
        raise NothingSelected(f"{name!r} is a session and a project: write session:{name} or project:{name}.")
    return {session}


def ended_before(snapshot: Snapshot, text: str, now: datetime) -> set[int]:
    """The sessions that had ended at a time, as the filter `before:` reads it, with all of their subagents.

    Sessions that no other one started. Raises NothingSelected if the text stands for none.
    """
    time = parse_time(text, now)
    if time is None:
        raise NothingSelected(f"{text} is not a valid time, such as 3d, yesterday or 2026-11-20.")
    rows = snapshot.rows(
        f"{_TREES} SELECT top FROM tree JOIN turns t ON t.session = tree.key GROUP BY top"
        " HAVING max(coalesce(t.ended_at, t.started_at)) < ?",
        [time.astimezone(UTC).replace(tzinfo=None)],
    )
    return {key for (key,) in rows}


def matching_sessions(store: LocalStore, text: str, now: datetime) -> TurnMatches:
    """The sessions with a turn that contains every word of a query, or that touched its file, and meets its filters.

    Never by meaning. Raises NothingSelected if the query is empty, or has a filter that is not applied: without that
    it would name more than it says.
    """
    query, snapshot = parse(text), store.snapshot
    scope = resolve_scope(query, FilterContext(now, partial(resolve_files, snapshot), partial(unfinished, snapshot)))
    if scope.notes:
        raise NothingSelected(f"The query is not clear: {'; '.join(scope.notes)}.")
    if len(read_clauses(query).clauses) >= MAX_CLAUSES:
        raise NothingSelected(f"The query has too many words: at most {MAX_CLAUSES - 1} are looked for.")
    engine = store.engines(scope)
    if query.words:
        turns = set(engine.with_every_word(query))
        if len(query.words) <= len(query.paths):
            files = [engine.resolve_files(path, mistyped=False) for path in query.paths]
            turns |= set(engine.every_touch([path for found in files if not found.note for path in found.paths]))
    elif scope.files:
        turns = set(engine.every_touch(scope.files))
    elif scope.where or query.excluded:
        turns = set(engine.every_turn(query))
    else:
        raise NothingSelected("The query is empty.")
    rows = snapshot.rows(
        f"{_TREES} SELECT t.id, tree.top FROM turns t JOIN tree ON tree.key = t.session"
        f" WHERE {key_condition('t.id', turns)}"
    )
    return TurnMatches(frozenset(top for _, top in rows), len({turn for turn, _ in rows}))


def with_subagents(snapshot: Snapshot, keys: Collection[int]) -> list[int]:
    """The keys of sessions and of all that they started, in order."""
    rows = snapshot.rows(
        f"WITH RECURSIVE below(key) AS (SELECT key FROM sessions WHERE {key_condition('key', keys)}"
        " UNION SELECT s.key FROM sessions s JOIN below b ON s.parent = b.key) SELECT key FROM below ORDER BY key"
    )
    return [key for (key,) in rows]


def _in_project(snapshot: Snapshot, name: str) -> set[int]:
    """The sessions of a project that no other one started; none for an empty name."""
    if not name.strip():
        return set()
    condition = PROJECT.turn_condition(name, FilterContext(datetime.now().astimezone()))
    query = f"SELECT s.key FROM sessions s WHERE s.parent IS NULL AND {condition.sql}"
    return {key for (key,) in snapshot.rows(query, condition.parameters)}


_SELECTED = Columns(
    SelectedSessions,
    project=label("s.project"),
    agent=label("s.agent"),
    sessions="count(*) FILTER (s.parent IS NULL)",
    subagents="count(*) FILTER (s.parent IS NOT NULL)",
    turns="coalesce(sum(t.turns), 0)::BIGINT",
    compactions="coalesce(sum(k.compactions), 0)::BIGINT",
    first=timestamp("min(t.first)"),
    last=timestamp("max(t.last)"),
)


def selected_sessions(snapshot: Snapshot, keys: Collection[int]) -> list[SelectedSessions]:
    """How much some sessions are, by project and agent; `keys` include those of subagents."""
    return _SELECTED.select(
        snapshot,
        "FROM sessions s"
        " LEFT JOIN (SELECT session, count(*) AS turns, min(credible(started_at)) AS first,"
        " max(credible(ended_at)) AS last FROM turns GROUP BY session) t ON t.session = s.key"
        " LEFT JOIN (SELECT session, count(*) AS compactions FROM compactions GROUP BY session) k ON k.session = s.key"
        f" WHERE {key_condition('s.key', keys)} GROUP BY s.project, s.agent ORDER BY s.project, s.agent",
    )


def sessions_to_forget(snapshot: Snapshot, keys: Collection[int]) -> SessionsToForget:
    """Sessions with all that they started."""
    found = with_subagents(snapshot, keys)
    return SessionsToForget(tuple(identities(snapshot, found)), selected_sessions(snapshot, found))


def sessions_of_project(snapshot: Snapshot, project: Project) -> set[int]:
    """The sessions of a project, or those of one agent or machine in it, also those that no list shows."""
    rows = snapshot.rows(
        f"SELECT s.key, s.agent, {_MACHINE} FROM sessions s WHERE s.parent IS NULL AND s.root = ? AND s.project = ?",
        [stored(project.root), stored(project.name)],
    )
    return {key for key, agent, machine in rows if project.agent in ("", agent) and project.machine in (None, machine)}


def identities(snapshot: Snapshot, keys: Collection[int]) -> list[SessionIdentity]:
    """What tells sessions from all others, in the order of their keys."""
    rows = snapshot.rows(
        f"SELECT agent, session_id, parent_id FROM sessions WHERE {key_condition('key', keys)} ORDER BY key"
    )
    return [SessionIdentity(*row) for row in rows]
