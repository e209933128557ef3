"""Links between transcripts: calls that started subagents, and titles of sessions in other transcripts."""

from __future__ import annotations

from collections.abc import Collection

from memtui_core.ingest.machines.joining import MachineSessions
from memtui_core.ingest.sources.batch import Batch
from memtui_core.ingest.sources.entries import hashed
from memtui_core.ingest.turns.sessions import IndexedSessions
from memtui_core.ingest.writing.lexicon_sync import LexiconSync
from memtui_core.readers.records import TitleRank
from memtui_core.store.tables import key_condition
from memtui_core.store.work.database import WorkDatabase
from memtui_core.text.paths import has_fixed_layout, home_of, managed_worktree

SubagentLink = tuple[int, str, str | None, str | None]
"""A subagent's session key, and the tool id, agent type and description of the call that started it."""


class Links:
    """Resolves the links of the transcripts in a batch, and adds mentions of files that became known in it."""

    def __init__(self, work: WorkDatabase, batch: Batch, lexicon_sync: LexiconSync) -> None:
        self._work = work
        self._lexicon_sync = lexicon_sync
        self._batch = batch
        self._machines = MachineSessions(work, batch.sessions)
        self._retitled: set[int] = set()
        self._to_link = True

    def add(self, retitled: Collection[int], *, to_link: bool) -> None:
        """Add a transcript: the sessions that it renamed, and whether it may have links to other sessions."""
        self._retitled |= set(retitled)
        self._to_link = self._to_link or to_link

    def resolve(self, *, complete: bool) -> bool:
        """Store the links, and return whether the mentions of turns changed. `complete`: every transcript was read.

        Turns whose documents in the lexicon have changed are marked: the document of the first turn contains the title
        of the session, and every document the mentioned paths.
        """
        work, sessions = self._work, self._batch.sessions
        moved: list[int] = []
        if self._to_link or sessions.new:
            with work.transaction():
                self._retitled |= _link(work, sessions, complete=complete)
                moved = self._machines.move(self._machines.moves())
            self._to_link, sessions.new = not complete, False
        if moved:
            self._mark_for_lexicon("list_contains(?, session)", moved)
        if self._retitled:
            self._mark_for_lexicon("number = 1 AND list_contains(?, session)", self._retitled)
            self._retitled = set()
        with work.transaction():
            turns = self._batch.project_files.catch_up()
        if turns:
            self._mark_for_lexicon("list_contains(?, id)", turns)
        return bool(turns or moved)

    def is_due(self) -> bool:
        """Whether sessions of other machines belong to other projects, because more is known of their repositories.

        If so, the next `resolve` links them.
        """
        if not (self._machines.changed() and self._machines.moves()):
            return False
        self._to_link = True
        return True

    def _mark_for_lexicon(self, condition: str, keys: Collection[int]) -> None:
        """Mark turns so that this batch updates them in the lexicon."""
        self._lexicon_sync.update(self._work.mark_turns(condition, [sorted(keys)]))


def _link(work: WorkDatabase, sessions: IndexedSessions, *, complete: bool) -> set[int]:
    """Link subagents to the calls that started them, and set titles from summaries in other transcripts.

    Return the keys of the renamed sessions. Runs once a batch, for sessions without links.
    """
    for orphan in sessions.orphans:
        if (parent := sessions.find((orphan.agent, orphan.parent_id or "", None))) is not None:
            sessions[orphan.key].parent = parent.key
    _join_worktrees(sessions)
    sessions.write()
    renamed: set[int] = set()
    links = [*_links_by_id(work), *_links_by_prompt(work)] if sessions.unlinked and work.may_have("agent_calls") else []
    for key, tool_id, agent_type, description in links:
        row = sessions[key]
        row.parent_tool_id, row.agent_type = tool_id, agent_type
        if description and row.rename(TitleRank.AI, description):
            renamed.add(key)
    for key, title in _summaries(work, complete) if work.may_have("titles") else []:
        if sessions[key].rename(TitleRank.SUMMARY, title):
            renamed.add(key)
    sessions.write()
    return renamed


def _join_worktrees(sessions: IndexedSessions) -> None:
    """Move the sessions in worktrees that tools keep in the home folder to the project of their repository.

    That is the one of another session in the same worktree, or else the only root in the same home folder whose last
    folder is called as the repository. If there is none, the worktrees of several tools are one project. A repository
    that was found stays, so that the project of a session does not change with every folder of the same name.
    """
    roots: dict[tuple[str | None, str], set[str]] = {}
    kept: dict[tuple[str | None, str], set[str]] = {}
    joined: dict[str, tuple[str, str]] = {}
    for row in sessions.rows.values():
        if row.machine:
            continue
        if managed_worktree(row.root) is not None:
            kept.setdefault((home_of(row.root), row.project), set()).add(row.root)
        elif row.worktree is None or managed_worktree(row.worktree) is None:
            roots.setdefault((home_of(row.root), row.project), set()).add(row.root)
        else:
            joined[row.worktree] = row.project, row.root
    for key, row in sessions.rows.items():
        folders = managed_worktree(row.worktree or "")
        if folders is None or managed_worktree(row.root) is None:
            continue
        base, first, second = folders
        home = home_of(base)
        other = second if row.project == first else first
        names = [row.project] if has_fixed_layout(base) else [row.project, other]
        repositories = [(name, min(own)) for name in names if len(own := roots.get((home, name), set())) == 1]
        if row.worktree in joined or repositories:
            place = joined[row.worktree] if row.worktree in joined else repositories[0]
            sessions[key].project, sessions[key].root = place
        elif (home, row.project) not in roots:
            sessions[key].root = min(kept[home, row.project])


def _links_by_id(work: WorkDatabase) -> list[SubagentLink]:
    """Links by the subagent's id in the result of the call."""
    return work.connection.execute(
        "SELECT s.key, any_value(c.tool_id), any_value(c.agent_type), any_value(c.description)"
        " FROM sessions s JOIN agent_calls c ON c.session = s.parent"
        " AND s.session_id IN (c.agent_id, 'agent-' || c.agent_id)"
        " WHERE s.parent_tool_id IS NULL GROUP BY s.key"
    ).fetchall()


def _links_by_prompt(work: WorkDatabase) -> list[SubagentLink]:
    """Links by the prompt in both transcripts, for inline sidechains: their calls do not contain the id."""
    unlinked = work.connection.execute(
        "SELECT s.key, s.parent, t.user_text FROM sessions s JOIN turns t ON t.session = s.key AND t.number = 1"
        " WHERE s.parent IS NOT NULL AND s.parent_tool_id IS NULL"
        " AND s.parent IN (SELECT session FROM agent_calls WHERE prompt_hash IS NOT NULL) ORDER BY s.key"
    ).fetchall()
    if not unlinked:
        return []
    parents = {parent for _, parent, _ in unlinked}
    rows = work.connection.execute(
        f"SELECT parent, parent_tool_id FROM sessions WHERE {key_condition('parent', parents)}"
    )
    linked_before = set(rows.fetchall())
    calls: dict[tuple[int, int], list[tuple[str, str | None, str | None]]] = {}
    for parent, prompt_hash, tool_id, agent_type, description in work.connection.execute(
        "SELECT session, prompt_hash, tool_id, agent_type, description FROM agent_calls"
        f" WHERE {key_condition('session', parents)} AND prompt_hash IS NOT NULL"
    ).fetchall():
        if (parent, tool_id) not in linked_before:
            calls.setdefault((parent, prompt_hash), []).append((tool_id, agent_type, description))
    linked: list[SubagentLink] = []
    taken: set[tuple[int, str]] = set()
    for key, parent, prompt in unlinked:
        # A copy of a session has calls with the same ids.
        free = (call for call in calls.get((parent, hashed(prompt.strip())), []) if (parent, call[0]) not in taken)
        if (call := next(free, None)) is not None:
            taken.add((parent, call[0]))
            linked.append((key, *call))
    return linked


def _summaries(work: WorkDatabase, complete: bool) -> list[tuple[int, str]]:
    """The titles from summaries: for the session that contains the leaf, or else for the session of the transcript."""
    return work.connection.execute(
        "SELECT DISTINCT coalesce(t.session, s.session), x.title FROM titles x JOIN sources s ON s.id = x.source"
        " LEFT JOIN blocks b ON b.entry = x.leaf LEFT JOIN turns t ON t.id = b.turn"
        " JOIN sessions n ON n.key = coalesce(t.session, s.session)"
        " WHERE n.title_rank < ? AND (t.session IS NOT NULL OR ?) ORDER BY ALL",
        [int(TitleRank.SUMMARY), complete],
    ).fetchall()
