"""Remove the sessions that the settings exclude from an index that has them already."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from memtui_core.readers.base import container_of
from memtui_core.readers.exclusions import Exclusions
from memtui_core.store.tables import KEYS, key_condition
from memtui_core.store.work.database import WorkDatabase
from memtui_core.system.projects import locate_project
from memtui_core.text.paths import managed_worktree


@dataclass(frozen=True, slots=True)
class ExcludedSessions:
    """The sessions in an index that the settings exclude, subagents included."""

    keys: frozenset[int]
    sources: frozenset[int]
    """The sources of which nothing is left without these sessions."""
    by_project: Counter[tuple[str, str]]
    """The number of sessions, without subagents, by agent and project."""


def excluded_sessions(work: WorkDatabase, exclusions: Exclusions) -> ExcludedSessions:
    """Find the sessions that the settings exclude: by agent, project, folder, or the path of their transcript."""
    sources = work.connection.execute("SELECT id, path, agent, session FROM sources").fetchall()
    by_path = {
        session
        for _, path, agent, session in sources
        if session is not None and exclusions.excludes_path(container_of(path))
    }
    rows = work.connection.execute(
        "SELECT key, agent, project, cwd, root, worktree, parent FROM sessions ORDER BY key"
    ).fetchall()
    keys = {
        key
        for key, agent, project, cwd, root, worktree, _ in rows
        if key in by_path or exclusions.excludes_session(agent, project, cwd, _own_root(cwd, root, worktree))
    }
    children = {key: parent for key, *_, parent in rows}
    while more := {key for key, parent in children.items() if parent in keys and key not in keys}:
        keys |= more
    left = {source for (source,) in _rows(work, f"SELECT DISTINCT source FROM turns WHERE NOT {_of(keys)}")}
    gone = {number for number, path, agent, session in sources if number not in left and session in keys}
    counts = Counter((agent, project) for key, agent, project, *_, parent in rows if key in keys and parent is None)
    return ExcludedSessions(frozenset(keys), frozenset(gone), counts)


def _own_root(cwd: str, root: str, worktree: str | None) -> str:
    """The root as it was when the transcript was read, before `linking` moved the session to its repository."""
    return root if worktree is None or managed_worktree(worktree) is None else locate_project(cwd).root


def remove_sessions(work: WorkDatabase, excluded: ExcludedSessions) -> None:
    """Delete sessions with everything that was read of them, in one transaction."""
    turns = [turn for (turn,) in _rows(work, f"SELECT id FROM turns WHERE {_of(excluded.keys)}")]
    with work.transaction():
        work.connection.execute("INSERT INTO dropped_turns SELECT unnest(?::INTEGER[]), ?", [turns, work.batch])
        for table in KEYS:
            if table in {"turns", "blocks", "file_mentions", "agent_calls", "chunks"}:
                work.drop(table, turns)
            elif KEYS[table] == "source" or table == "sources":
                work.drop(table, excluded.sources)
            else:
                work.drop(table, excluded.keys)


def _of(keys: set[int] | frozenset[int]) -> str:
    return key_condition("session", sorted(keys))


def _rows(work: WorkDatabase, sql: str) -> list[tuple[int]]:
    return work.connection.execute(sql).fetchall()
