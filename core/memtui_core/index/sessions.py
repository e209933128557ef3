"""Projects, sessions and their turns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memtui_core.errors import NoOwnTurns, SessionUnknown
from memtui_core.model import Block, Grouping, Project, Session, SessionEnd, SessionsToForget, Turn, Variety
from memtui_core.queries import sessions, turns
from memtui_core.queries.current_project import CurrentProject, project_at
from memtui_core.store.opened import note_opened

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.memory.blame.values import SessionCommit as SessionCommit
    from memtui_core.memory.decisions.made import LaterDecision as LaterDecision
    from memtui_core.memory.decisions.made import MadeDecision as MadeDecision
    from memtui_core.memory.project_overview import OpenEnd as OpenEnd
    from memtui_core.memory.project_overview import ProjectOverview as ProjectOverview


class Sessions:
    """Queries for projects, sessions and turns."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def projects(self, by: Grouping = "", *, archived: bool = False) -> list[Project]:
        """All projects, the most recently used first; one for each agent that worked on it, or for each machine.

        Archived sessions count only with `archived`.
        """
        return sessions.list_projects(self._index.snapshot, by, archived=archived)

    def overview(self, project: Project, limit: int = 25, now: datetime | None = None) -> ProjectOverview:
        """A project at a glance: lists of at most `limit` rows, and what it took, up to `now`."""
        from memtui_core.memory.project_overview import project_overview

        overview = project_overview(self._index.snapshot, project, limit, now or datetime.now(UTC))
        compactions = overview.compactions
        if not compactions.rows:
            return overview
        rows = tuple(self._index.compactions.as_known(compactions.rows))
        return replace(overview, compactions=replace(compactions, rows=rows))

    def decisions(
        self, project: Project | None = None, query: str = "", since: datetime | None = None
    ) -> list[MadeDecision]:
        """What was decided in a project, or in all, the newest first, without archived sessions.

        With a query, those that contain all of its words, in any case; with `since`, those from that time on.
        """
        from memtui_core.memory.decisions.made import read_decisions

        return read_decisions(self._index.snapshot, project, query, since)

    def machines(self) -> list[str]:
        """The other machines that have sessions."""
        return sessions.list_machines(self._index.snapshot)

    def project_at(self, folder: str) -> CurrentProject | None:
        """The project that contains a folder, the innermost if there are several; None if there is none."""
        return project_at(self._index.snapshot, folder)

    def agents(self) -> list[str]:
        """The ids of the agents that have sessions."""
        return sessions.list_agents(self._index.snapshot)

    def variety(self) -> Variety:
        """Whether there are sessions of several agents, and of several projects."""
        return sessions.read_variety(self._index.snapshot)

    def all(self, project: Project | None = None, *, archived: bool = False) -> list[Session]:
        """The sessions of a project, or all, without subagents: the pinned ones first, then newest first.

        A subagent whose parent is not in the index is listed as a session. Archived ones are left out, unless
        `archived`.
        """
        return sessions.list_sessions(self._index.snapshot, project, archived=archived)

    def subagents(self, session: int) -> list[Session]:
        """The subagents of a session in the order in which they started."""
        return sessions.list_subagents(self._index.snapshot_of(session), session)

    def calling_turn(self, session: int) -> int | None:
        """The number of the turn in which the parent of a subagent started it; None if the transcript does not say."""
        return sessions.calling_turn(self._index.snapshot_of(session), session)

    def get(self, key: int) -> Session:
        """One session by its key. Raises SessionUnknown."""
        return sessions.read_session(self._index.snapshot_of(key), key)

    def find(self, session_id: str) -> Session:
        """The session with this id, or the only one whose id starts with it. Raises SessionUnknown.

        A session of the guest is found if there is none in the index.
        """
        try:
            return sessions.find_session(self._index.snapshot, session_id)
        except SessionUnknown:
            key = self._index.guest.find(session_id) if self._index.guest is not None else None
            if key is None:
                raise
        return self.get(key)

    def with_turns(self, session_id: str) -> Session:
        """As `find`, for what needs turns.

        Raises SessionUnknown, and NoOwnTurns for a fork that only repeats another one.
        """
        session = self.find(session_id)
        if session.forked_from and not session.turns:
            from memtui_core.compaction.history import last_shared_turn

            last = last_shared_turn(self._index.snapshot_of(session.key), session.key)
            origin = self.ids([last.session]).get(last.session) if last is not None else None
            if last is not None and origin is not None:
                turns = f"1-{last.number}" if last.number > 1 else "1"
                raise NoOwnTurns(
                    f"{session.session_id} repeats {origin} up to turn {last.number} and has no turns of its own yet."
                    f" memtui show {origin}:{turns} shows what it repeats."
                )
        return session

    def ends(self, keys: Collection[int]) -> dict[int, SessionEnd]:
        """How some sessions ended, as of the last turn of each, by key; those without turns are left out."""
        from memtui_core.queries.activity.endings import read_ends

        ends = read_ends(self._index.snapshot, [key for key in keys if key >= 0])
        for key in (key for key in keys if key < 0):
            ends |= read_ends(self._index.snapshot_of(key), [key])
        return ends

    def unfinished(self, now: datetime) -> dict[int, SessionEnd]:
        """The sessions, without subagents, that run, wait or have failed at a time, by key."""
        from memtui_core.queries.activity.endings import unfinished

        return unfinished(self._index.snapshot, now)

    def to_forget(self, keys: Collection[int], project: Project | None = None) -> SessionsToForget:
        """What goes if the user forgets sessions, or all of a project."""
        from memtui_core.search.selection import sessions_of_project, sessions_to_forget

        snapshot = self._index.snapshot
        return sessions_to_forget(snapshot, keys if project is None else sessions_of_project(snapshot, project))

    def note_opened(self, key: int) -> None:
        """Remember that the user has opened a session: the indexer makes its vectors before those of others."""
        for session_id in self.ids([key]).values():
            note_opened(self._index.data, session_id)

    def ids(self, keys: Collection[int]) -> dict[int, str]:
        """The agent's own ids of sessions by their keys; unknown keys are left out."""
        found = sessions.session_ids(self._index.snapshot, [key for key in keys if key >= 0])
        for key in (key for key in keys if key < 0):
            found |= sessions.session_ids(self._index.snapshot_of(key), [key])
        return found

    def transcripts(self, keys: Collection[int]) -> dict[int, tuple[str, ...]]:
        """The paths of the transcripts of sessions by their keys, also of those that are gone from the disk."""
        return sessions.transcript_paths(self._index.snapshot, [key for key in keys if key >= 0])

    def turns(self, session: int) -> list[Turn]:
        """The turns of a session in order, without their blocks; empty for an unknown session."""
        return turns.read_turns(self._index.snapshot_of(session), session)

    def turn(self, session: int, number: int) -> Turn | None:
        """One turn with its blocks; None if the session has no such turn."""
        return next(iter(self.whole_turns(session, number, number)), None)

    def whole_turns(self, session: int, first: int, last: int) -> list[Turn]:
        """The turns from number `first` to `last`, both included, with their blocks."""
        return turns.read_whole_turns(self._index.snapshot_of(session), session, first, last)

    def blocks(self, session: int, first: int, last: int) -> dict[int, tuple[Block, ...]]:
        """The blocks of the turns from number `first` to `last`, both included, by the number of the turn."""
        return turns.read_blocks(self._index.snapshot_of(session), session, first, last)

    def commits(self, *sessions: int) -> list[SessionCommit]:
        """The commits of which git said in sessions that they made them, also those that they amended later.

        The order is that of the keys of the sessions, and in each that in which it made them.
        """
        from memtui_core.memory.blame.session_commits import all_commits_of_sessions

        of_one = len(sessions) == 1
        snapshot = self._index.snapshot_of(sessions[0]) if of_one else self._index.snapshot
        return all_commits_of_sessions(snapshot, sessions)

    def has_quiet_commits(self, session: int) -> bool:
        """Whether a session ran `git commit -q`, of which git prints nothing, so that `commits` may not know it."""
        from memtui_core.memory.blame.session_commits import has_quiet_commits

        return has_quiet_commits(self._index.snapshot_of(session), session)

    def has_thinking(self, session: int) -> bool:
        """Whether a turn of a session has thinking."""
        return turns.has_thinking(self._index.snapshot_of(session), session)
