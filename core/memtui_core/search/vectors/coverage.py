"""Which turns semantic search does not cover, and why, as a message for the user or an agent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memtui_core.queries.sources import count_turns
from memtui_core.search.filters.filter import FilterContext
from memtui_core.search.fusion import is_semantic
from memtui_core.search.query_parser import parse, resolve_scope
from memtui_core.store.snapshot.reader import Snapshot

WORDS_AND_PATHS = "words and paths"
"""What a search uses without vectors."""
FILES = "files"
"""What recall uses without vectors."""


@dataclass(frozen=True, slots=True)
class VectorGap:
    """The turns that semantic search does not cover."""

    reason: str = ""
    """Why it covers none; empty if it covers some."""
    missing: int = 0
    turns: int = 0

    def message(self, used_instead: str) -> str:
        """One sentence; `used_instead` names what finds these turns instead."""
        if self.reason:
            return f"Found by {used_instead} only: {self.reason}"
        return f"Found by {used_instead} only in {self.missing:,} of {self.turns:,} turns: they have no vectors yet"


def missing_vectors(snapshot: Snapshot) -> VectorGap | None:
    """The turns of a snapshot that have no vectors; None if all have them."""
    counts = count_turns(snapshot)
    missing = counts.turns - counts.embedded
    if missing <= 0:
        return None
    if not counts.embedded:
        return VectorGap("no turn has vectors yet, memtui index makes them")
    return VectorGap(missing=missing, turns=counts.turns)


def uses_vectors(text: str) -> bool:
    """Whether semantic search applies to a query, as `Engines.uses_vectors` decides for one with a model."""
    query = parse(text)
    return is_semantic(query) and resolve_scope(query, FilterContext(datetime.now().astimezone())).fields is None
