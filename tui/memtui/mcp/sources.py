"""Where hits stand, as `session:turn`: what the fixed formats of docs/spec.md S3 do not tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from memtui_core.errors import SessionUnknown
from memtui_core.index import Index
from memtui_core.memory.fallback import Recalled
from memtui_core.memory.summaries import SessionSummary
from memtui_core.memory.timeline import Past
from memtui_core.memory.values import Observation
from memtui_core.model import Turn


class Sources:
    """Cites for one call; what the index does not know yet is cited by its session alone."""

    def __init__(self, index: Index | None) -> None:
        self._index = index
        self._known: dict[str, list[Turn]] = {}

    def of(self, found: Recalled) -> str:
        """A line a hit; turns of transcripts are cited by their headings."""
        if found.observations:
            lines = [self._of_observation(one.observation) for one in found.observations]
            return "\n".join(["Sources (mem-show reads the turns, mem-forget takes the ID):", *lines])
        if found.summaries:
            return _listed(self._of_summary(one) for one in found.summaries)
        return "mem-show reads a turn." if found.turns else ""

    def of_past(self, sessions: Sequence[Past]) -> str:
        """The turns of sessions."""
        cited = [self._whole(one.session_id) for one in sessions if self._turns(one.session_id)]
        return _listed(cited) if cited else ""

    def _of_observation(self, one: Observation) -> str:
        return f"- {self._at(one.session_id, one.created_at)} (ID: {one.id})"

    def _at(self, session_id: str, at: datetime) -> str:
        """The turn in which something was written down."""
        begun = [turn.number for turn in self._turns(session_id) if turn.started_at and turn.started_at <= at]
        return f"{session_id}:{begun[-1]}" if begun else session_id

    def _of_summary(self, one: SessionSummary) -> str:
        compactions = [turn.number for turn in self._turns(one.session_id) if turn.kind == "compaction"]
        if one.kind == "compaction" and compactions:
            return f"{one.session_id}:{compactions[-1]}"
        return self._whole(one.session_id)

    def _whole(self, session_id: str) -> str:
        count = len(self._turns(session_id))
        return f"{session_id}:1-{count}" if count > 1 else f"{session_id}:1" if count else session_id

    def _turns(self, session_id: str) -> list[Turn]:
        if session_id not in self._known:
            self._known[session_id] = self._read(session_id)
        return self._known[session_id]

    def _read(self, session_id: str) -> list[Turn]:
        if self._index is None:
            return []
        try:
            return self._index.turns(self._index.find_session(session_id).key)
        except SessionUnknown:
            return []


def _listed(cited: Iterable[str]) -> str:
    return f"Sources (mem-show reads the turns): {', '.join(cited)}"
