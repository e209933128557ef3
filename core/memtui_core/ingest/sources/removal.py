"""What leaves the index: turns that are read again, excluded sessions, and prompts that another source has, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memtui_core.ingest.discover import PROMPTS, SUPERSEDED
from memtui_core.readers.base import container_of
from memtui_core.readers.exclusions import Exclusions
from memtui_core.store.archive.session_rows import SessionRows
from memtui_core.store.tables import COLUMNS, KEYS, key_condition
from memtui_core.system.projects import locate_project
from memtui_core.text.machine_folders import machine_of, own_folders
from memtui_core.text.paths import managed_worktree

if TYPE_CHECKING:
    from memtui_core.ingest.sources.batch import Batch
    from memtui_core.ingest.turns.sessions import SessionRow
    from memtui_core.store.work.database import WorkDatabase

_TURN_TABLES = ("turns", "blocks", "file_mentions", "agent_calls", "facts", "chunks")
_SOURCE_TABLES = ("bad_lines", "unknown_entries", "compactions", "reviews", "review_items", "titles")


def remove_turns(work: WorkDatabase, source: int, from_line: int) -> set[int]:
    """Remove the turns of a source from a line on, with everything that refers to them.

    Return the keys of the sessions of these turns.
    """
    rows = work.connection.execute("SELECT id, session FROM turns WHERE source = ? AND line >= ?", [source, from_line])
    removed = rows.fetchall()
    turns = [turn for turn, _ in removed]
    if turns:
        work.connection.execute("INSERT INTO dropped_turns SELECT unnest(?::INTEGER[]), ?", [turns, work.batch])
    for table in _TURN_TABLES:
        work.drop(table, turns)
    # Most sources have no rows in any of these: one query tells, instead of two for each.
    tables = [table for table in _SOURCE_TABLES if work.may_have(table)]
    counts = ", ".join(f"(SELECT count(*) FROM {table} WHERE source = $1)" for table in tables)
    [present] = work.connection.execute(f"SELECT {counts}", [source]).fetchall() if tables else [()]
    for table, count in zip(tables, present, strict=True):
        if count and table != "titles":
            work.keep_only(table, source, "line < ?", [from_line])
        elif count and from_line == 0:
            work.keep_only(table, source, "FALSE", [])
    return {session for _, session in removed}


@dataclass(frozen=True, slots=True)
class ExcludedSessions:
    """The sessions in an index that the settings exclude, subagents included."""

    keys: frozenset[int]
    sources: frozenset[int]
    """The sources of which nothing is left without these sessions."""
    by_project: Counter[tuple[str, str]]
    """The number of sessions, without subagents, by agent and project."""
    identities: tuple[tuple[str, str], ...] = ()
    """Agent and id of each session."""


def excluded_sessions(work: WorkDatabase, exclusions: Exclusions) -> ExcludedSessions:
    """Find the sessions that the settings exclude: by agent, project, folder, or the path of their transcript."""
    sources = work.connection.execute(SOURCES_TO_CHECK).fetchall()
    rows = work.connection.execute(SESSIONS_TO_CHECK).fetchall()
    return _removal(work, excluded_keys(sources, rows, exclusions), sources, rows)


def excluded_among(rows: SessionRows, exclusions: Exclusions) -> set[tuple[str, str, str | None]]:
    """Agent, id and the id of the parent of those of some stored sessions that the settings exclude."""
    sources = [(one["id"], one["path"], one["agent"], one["session"]) for one in rows.named("sources")]
    sessions = list(rows.named("sessions"))
    names = ("key", "agent", "project", "cwd", "root", "worktree", "parent")
    keys = excluded_keys(sources, [tuple(one[name] for name in names) for one in sessions], exclusions)
    return {(one["agent"], one["session_id"], one["parent_id"]) for one in sessions if one["key"] in keys}


def removal_of(work: WorkDatabase, keys: Collection[int]) -> ExcludedSessions:
    """What leaves the index with some sessions."""
    sources, rows = (work.connection.execute(query).fetchall() for query in (SOURCES_TO_CHECK, SESSIONS_TO_CHECK))
    return _removal(work, set(keys), sources, rows)


def _removal(
    work: WorkDatabase, keys: set[int], sources: Sequence[tuple[Any, ...]], rows: Sequence[tuple[Any, ...]]
) -> ExcludedSessions:
    left = {source for (source,) in _rows(work, f"SELECT DISTINCT source FROM turns WHERE NOT {_of(keys)}")}
    gone = {number for number, path, agent, session in sources if number not in left and session in keys}
    counts = Counter((agent, project) for key, agent, project, *_, parent in rows if key in keys and parent is None)
    named = f"SELECT DISTINCT agent, session_id FROM sessions WHERE {key_condition('key', keys)} ORDER BY ALL"
    identities = work.connection.execute(named).fetchall()
    return ExcludedSessions(frozenset(keys), frozenset(gone), counts, tuple(identities))


def sessions_below(sessions: Mapping[int, SessionRow], keys: Collection[int]) -> set[int]:
    """The keys of sessions and of all that they started; `sessions` are all of the index by their keys."""
    found = set(keys)
    ids = {(sessions[key].agent, sessions[key].session_id) for key in found}
    while more := {
        key
        for key, row in sessions.items()
        if key not in found and (row.parent in found or (row.agent, row.parent_id or "") in ids)
    }:
        found |= more
        ids |= {(sessions[key].agent, sessions[key].session_id) for key in more}
    return found


SOURCES_TO_CHECK: Final = "SELECT id, path, agent, session FROM sources"
SESSIONS_TO_CHECK: Final = "SELECT key, agent, project, cwd, root, worktree, parent FROM sessions ORDER BY key"
"""The queries for what `excluded_keys` looks at."""


def excluded_keys(
    sources: Sequence[tuple[Any, ...]], sessions: Sequence[tuple[Any, ...]], exclusions: Exclusions
) -> set[int]:
    """The keys of the sessions that the settings exclude, with their subagents."""
    by_path = {
        session
        for _, path, _, session in sources
        if session is not None and exclusions.excludes_path(container_of(path))
    }
    keys = {
        key
        for key, agent, project, cwd, root, worktree, _ in sessions
        if key in by_path or exclusions.excludes_session(agent, project, cwd, _own_root(cwd, root, worktree))
    }
    parents = {key: parent for key, *_, parent in sessions}
    while more := {key for key, parent in parents.items() if parent in keys and key not in keys}:
        keys |= more
    return keys


def _own_root(cwd: str, root: str, worktree: str | None) -> str:
    """The root as it was when the transcript was read, before `linking` moved the session to its repository."""
    if machine_of(root, worktree):
        return own_folders(root, worktree)[0]
    return root if worktree is None or managed_worktree(worktree) is None else locate_project(cwd).root


def remove_sessions(work: WorkDatabase, excluded: ExcludedSessions) -> None:
    """Delete sessions with everything that was read of them, in one transaction.

    Of other sessions go the reviews that cite one of them, which are made again, and the titles that they have for one.
    """
    cited = {source for (source,) in _rows(work, f"SELECT source FROM review_items WHERE {_of(excluded.keys)}")}
    titled = _titled(work, excluded) if work.may_have("titles") else {}
    turns = [turn for (turn,) in _rows(work, f"SELECT id FROM turns WHERE {_of(excluded.keys)}")]
    with work.transaction():
        work.connection.execute("INSERT INTO dropped_turns SELECT unnest(?::INTEGER[]), ?", [turns, work.batch])
        for table in KEYS:
            if table in _TURN_TABLES:
                work.drop(table, turns)
            elif KEYS[table] == "source" or table == "sources":
                work.drop(table, excluded.sources)
            else:
                work.drop(table, excluded.keys)
        for table in ("reviews", "review_items"):
            work.drop(table, cited)
        for source, leaves in titled.items():
            work.keep_only("titles", source, "NOT list_contains(?, leaf)", [leaves])


def _titled(work: WorkDatabase, excluded: ExcludedSessions) -> dict[int, list[int]]:
    """The other sources that have titles of the sessions, with the entries by which they name them."""
    rows = work.connection.execute(
        "SELECT DISTINCT x.source, x.leaf FROM titles x JOIN blocks b ON b.entry = x.leaf JOIN turns t ON t.id = b.turn"
        f" WHERE {key_condition('t.session', sorted(excluded.keys))} ORDER BY ALL"
    ).fetchall()
    titled: dict[int, list[int]] = {}
    for source, leaf in rows:
        if source not in excluded.sources:
            titled.setdefault(source, []).append(leaf)
    return titled


def _of(keys: set[int] | frozenset[int]) -> str:
    return key_condition("session", sorted(keys))


def _rows(work: WorkDatabase, sql: str) -> list[tuple[int]]:
    return work.connection.execute(sql).fetchall()


_KNOWN: Final = """
SELECT f.id FROM sources f WHERE f.state = ?
    AND EXISTS (SELECT 1 FROM turns t JOIN turns o ON o.session = t.session AND o.source <> t.source
        WHERE t.source = f.id)
"""


def superseded_prompts(batch: Batch) -> list[int]:
    """The sources with prompts of sessions of which another source has turns."""
    return [source for (source,) in batch.work.connection.execute(_KNOWN, [PROMPTS]).fetchall()]


def drop_prompts(batch: Batch, sources: list[int]) -> None:
    """Remove the turns of such sources and mark them, so that they are not read again."""
    batch.begin(own_transaction=True)
    rows = batch.work.rows("sources", key_condition("id", sources), [])
    batch.work.drop("sources", sources)
    for source in sources:
        batch.sessions.recount(remove_turns(batch.work, source, 0))
        batch.mark_uncertain(source)
    state = list(COLUMNS["sources"]).index("state")
    for row in rows:
        batch.put("sources", *row[:state], SUPERSEDED, *row[state + 1 :])
    batch.finish()
