"""The sources of search results as `SESSION:TURN`, which the texts for agents do not contain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache

from memtui_core.errors import SessionUnknown
from memtui_core.index.index import Index
from memtui_core.memory.memory_search import MemorySearchResult
from memtui_core.memory.summaries import SessionSummary
from memtui_core.memory.timeline.last_sessions import SessionOverview
from memtui_core.model import Turn
from memtui_core.queries.turns import turn_at
from memtui_core.store.observation import Observation


class Citations:
    """Makes the citations of one call; a session that is not indexed yet is cited without turns."""

    def __init__(self, index: Index | None) -> None:
        self._index = index
        self._turns = cache(self._read_turns)

    def of_search(self, result: MemorySearchResult) -> str:
        """The sources of all hits; empty for none. The headings of turns already cite them."""
        if result.observations:
            lines = [self._of_observation(hit.observation) for hit in result.observations]
            return "\n".join(["Sources (mem-show reads the turns, mem-forget takes the ID):", *lines])
        if result.summaries and not result.turns:
            return _listed(self._of_summary(summary) for summary in result.summaries)
        return "mem-show reads a turn." if result.turns else ""

    def of_sessions(self, sessions: Sequence[SessionOverview]) -> str:
        """The turns of sessions; empty if none of them is indexed."""
        cited = [self._all_turns(session.session_id) for session in sessions if self._turns(session.session_id)]
        return _listed(cited) if cited else ""

    def _of_observation(self, observation: Observation) -> str:
        return f"- {self._turn_at(observation.session_id, observation.created_at)} (ID: {observation.id})"

    def _turn_at(self, session_id: str, at: datetime) -> str:
        """The turn of a session at a time."""
        number = turn_at(self._turns(session_id), at)
        return session_id if number is None else f"{session_id}:{number}"

    def _of_summary(self, summary: SessionSummary) -> str:
        compactions = [turn.number for turn in self._turns(summary.session_id) if turn.kind == "compaction"]
        if summary.kind == "compaction" and compactions:
            return f"{summary.session_id}:{compactions[-1]}"
        return self._all_turns(summary.session_id)

    def _all_turns(self, session_id: str) -> str:
        count = len(self._turns(session_id))
        return f"{session_id}:1-{count}" if count > 1 else f"{session_id}:1" if count else session_id

    def _read_turns(self, session_id: str) -> list[Turn]:
        if self._index is None:
            return []
        try:
            return self._index.sessions.turns(self._index.sessions.find(session_id).key)
        except SessionUnknown:
            return []


def _listed(citations: Iterable[str]) -> str:
    return f"Sources (mem-show reads the turns): {', '.join(citations)}"
