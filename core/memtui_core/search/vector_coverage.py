"""What a search could not do by meaning, and why: what a person or agent is told of it."""

from __future__ import annotations

from dataclasses import dataclass

from memtui_core.queries.transcripts import stats
from memtui_core.query import parse
from memtui_core.search.fusion import goes_by_meaning
from memtui_core.store.reader import Snapshot

WORDS = "words and paths"
"""What finds turns in a search where nothing is found by meaning."""
FILES = "files"
"""The same when turns are recalled."""


@dataclass(frozen=True, slots=True)
class MeaningGap:
    """Turns that are not found by their meaning."""

    reason: str = ""
    """Why none is; empty when it is only some."""
    missing: int = 0
    turns: int = 0

    def told(self, by: str) -> str:
        """One sentence; `by` is what finds the turns instead."""
        if self.reason:
            return f"Found by {by} only: {self.reason}"
        return f"Found by {by} only in {self.missing:,} of {self.turns:,} turns: they have no vectors yet"


def missing_vectors(snapshot: Snapshot) -> MeaningGap | None:
    """The turns of a snapshot that have no vectors; None when all have theirs."""
    counted = snapshot.cached("stats", lambda: stats(snapshot))
    missing = counted.turns - counted.embedded_turns
    if missing <= 0:
        return None
    if not counted.embedded_turns:
        return MeaningGap("no turn has vectors yet, memtui index makes them")
    return MeaningGap(missing=missing, turns=counted.turns)


def asks_for_meaning(text: str) -> bool:
    """Whether a query is looked for by its meaning where that is possible, as `Engines.goes_by_meaning` decides."""
    query = parse(text)
    return goes_by_meaning(query) and all(name != "in" for name, _ in query.filters)
