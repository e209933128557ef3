"""Candidates of several engines to one ranking: scores are added, not ranks.

Ranks throw away how much better the first hit is than the second; adding scores was 8 points of hit@5 better in trials,
20 for questions in other words than the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memtui_core.lexicon import LexicalHit
from memtui_core.query import Query
from memtui_core.search.path_search import PathHit
from memtui_core.search.vector_search import MeaningHit

FARTHEST = 0.85
"""Cosine distance at which a turn has nothing to do with a query: unrelated text lies there and beyond."""
_RELATED = 0.72
"""Distance up to which a turn is shown that no word found."""
_GUESSED = 0.8
"""The same where no word was found in any turn: a guess is better than nothing, but not for a lone unknown word."""
_TOUCHES: Mapping[str, float] = {"edited": 2.0, "read": 1.3, "mentioned": 0.65}
"""What a turn counts that touched every file asked for: it stands before one that only says the file's name."""
_NAME = 0.6, 0.1
"""Lexicon and meaning for a name out of code, which a model of plain language does not know."""
_EXACT = 0.6, 0.0
"""The same for a query that says what must stand there, or must not."""
_USUAL = 0.57
"""Rarity of the words of a query that is answered as well by its words as by its meaning."""
_RARITY = 1.05
"""What rarer words than that add to the lexicon's share."""
_LEAST = 0.05
"""What the less certain engine counts at least."""


@dataclass(slots=True)
class Candidate:
    """A turn and what each engine says of it."""

    turn: int
    score: float = 0.0
    lexical: LexicalHit | None = None
    meaning: MeaningHit | None = None
    path: PathHit | None = None

    @property
    def engines(self) -> int:
        """How many engines found it."""
        return sum(found is not None for found in (self.lexical, self.meaning, self.path))

    def order(self) -> tuple[float, int, int]:
        """By score, then by how many engines found it, then by id."""
        return (-round(self.score, 9), -self.engines, self.turn)


def goes_by_meaning(query: Query) -> bool:
    """Whether it says what it is about; quotes and exclusions say what must stand there instead."""
    return bool(query.terms) and not query.phrases and not query.excluded


def fuse(
    query: Query, lexical: Sequence[LexicalHit], meant: Sequence[MeaningHit], touched: Sequence[PathHit]
) -> list[Candidate]:
    """All candidates, the best first."""
    is_name = bool(query.terms) and all(_is_name(term) for term in query.terms)
    for_words, for_meaning = _weights(query, lexical, meant, is_name=is_name)
    found: dict[int, Candidate] = {}
    best, worst = (lexical[0].score, lexical[-1].score) if lexical else (0.0, 0.0)
    for hit in lexical:
        candidate = found.setdefault(hit.turn, Candidate(hit.turn))
        candidate.lexical = hit
        candidate.score += for_words * ((hit.score - worst) / (best - worst) if best > worst else 1.0)
    related = _GUESSED if not lexical and len(query.terms) > 1 else _RELATED
    nearest = meant[0].distance if meant else FARTHEST
    for near in meant if for_meaning else ():
        # Where a name was found, what only sounds like it is noise.
        if near.distance >= FARTHEST or (near.turn not in found and (near.distance > related or (is_name and lexical))):
            continue
        candidate = found.setdefault(near.turn, Candidate(near.turn))
        candidate.meaning = near if near.distance <= related else None
        candidate.score += for_meaning * (FARTHEST - near.distance) / (FARTHEST - nearest)
    most = max((one.matched for one in touched), default=1)
    asked = share_of_paths(query)
    for one in touched:
        candidate = found.setdefault(one.turn, Candidate(one.turn))
        candidate.path = one
        candidate.score += asked * _TOUCHES[one.kind] * one.matched / most
    return sorted(found.values(), key=Candidate.order)


def share_of_paths(query: Query) -> float:
    """What a path counts: all among a word or two, less in a sentence that names a file beside what it says."""
    return min(1.0, (1 + len(query.hints)) / max(1, len(query.terms) + len(query.phrases)))


def _weights(
    query: Query, lexical: Sequence[LexicalHit], meant: Sequence[MeaningHit], *, is_name: bool
) -> tuple[float, float]:
    """What the best hit of lexicon and meaning counts.

    Half each; the engine whose first hit stands out from its second one is surer, and counts more by that much, and so
    does the lexicon where it found rare words. This was worth 5 points of MRR over fixed weights.
    """
    if not goes_by_meaning(query):
        return _EXACT
    if is_name:
        return _NAME
    of_words = 1.0
    if len(lexical) > 1 and lexical[0].score > 0:
        of_words = (lexical[0].score - lexical[1].score) / lexical[0].score
    if lexical:
        of_words += _RARITY * (lexical[0].rarity - _USUAL)
    of_meaning = 0.0
    if len(meant) > 1 and meant[0].distance < FARTHEST:
        of_meaning = (meant[1].distance - meant[0].distance) / max(0.05, FARTHEST - meant[0].distance)
    share = min(1 - _LEAST, max(_LEAST, 0.5 + of_words - of_meaning))
    return share, 1 - share


def _is_name(term: str) -> bool:
    """`retry_upload`, `retryUpload`, `--flag`, `src/a.py`, `E1042`: not a word of a sentence."""
    return not term.isalpha() or not (term.islower() or term.isupper() or term.istitle())
