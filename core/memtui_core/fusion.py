"""Candidates of several engines to one ranking: scores are added, not ranks.

Ranks throw away how much better the first hit is than the second; adding scores was 8 points of hit@5 better in trials,
20 for questions in other words than the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memtui_core.lexicon import LexicalHit
from memtui_core.meaning import MeaningHit
from memtui_core.path_search import PathHit
from memtui_core.query import Query

FARTHEST = 0.75
"""Cosine distance at which a turn has nothing to do with a query: unrelated text lies at 0.8 and more."""
_NEAREST = 0.2
"""Distance from which on nearer is not better: a turn says more than a query asks."""
_TOUCHES: Mapping[str, float] = {"edited": 2.0, "read": 1.3, "mentioned": 0.65}
"""What a turn counts that touched every file asked for: it stands before one that only says the file's name."""
_FUZZY = 0.5
"""What such a turn counts when the name was only like the one asked for."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much the best hit of each engine counts."""

    lexicon: float
    meaning: float


_WORDS = Weights(0.5, 0.5)
_NAME = Weights(0.6, 0.1)
"""For a name out of code, whose meaning a model of plain language does not know."""
_EXACT = Weights(0.6, 0.0)
"""For a query that says what must stand there, or must not."""


@dataclass(slots=True)
class Candidate:
    """A turn and what each engine says of it."""

    turn: int
    score: float = 0.0
    lexical: LexicalHit | None = None
    meaning: MeaningHit | None = None
    path: PathHit | None = None

    def order(self) -> tuple[float, int, int]:
        """By score, then by how many engines found it, then the newer one."""
        engines = sum(found is not None for found in (self.lexical, self.meaning, self.path))
        return (-round(self.score, 9), -engines, -self.turn)


def weights_for(query: Query) -> Weights:
    """What the shape of a query tells of the engine that will know."""
    if query.phrases or query.excluded:
        return _EXACT
    if query.terms and all(_is_name(term) for term in query.terms):
        return _NAME
    return _WORDS


def fuse(
    query: Query, lexical: Sequence[LexicalHit], meant: Sequence[MeaningHit], touched: Sequence[PathHit]
) -> list[Candidate]:
    """All candidates, the best first."""
    weights = weights_for(query)
    found: dict[int, Candidate] = {}
    best = max((hit.score for hit in lexical), default=0.0) or 1.0
    for hit in lexical:
        candidate = found.setdefault(hit.turn, Candidate(hit.turn))
        candidate.lexical = hit
        candidate.score += weights.lexicon * hit.score / best
    for near in meant:
        # Where a name was found, what only sounds like it is noise.
        sought = weights is _WORDS or not lexical or near.turn in found
        if near.distance < FARTHEST and sought and weights.meaning:
            candidate = found.setdefault(near.turn, Candidate(near.turn))
            candidate.meaning = near
            closeness = (FARTHEST - near.distance) / (FARTHEST - _NEAREST)
            candidate.score += weights.meaning * min(1.0, closeness)
    most = max((one.matched for one in touched), default=1)
    for one in touched:
        candidate = found.setdefault(one.turn, Candidate(one.turn))
        candidate.path = one
        candidate.score += _TOUCHES[one.kind] * one.matched / most
    return sorted(found.values(), key=Candidate.order)


def _is_name(term: str) -> bool:
    """`retry_upload`, `retryUpload`, `--flag`, `src/a.py`, `E1042`: not a word of a sentence."""
    return not term.isalpha() or not (term.islower() or term.isupper() or term.istitle())
