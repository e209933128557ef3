"""Fusion of the results of all engines into one ranking, by the sum of their scores.

Ranks do not say how much better the first hit is than the second: in trials, adding scores was 8 points of hit@5
better, and 20 for questions in other words than the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memtui_core.search.passages.ranking import TurnPassages
from memtui_core.search.path_search import PathHit
from memtui_core.search.vectors.nearest import SemanticHit
from memtui_core.store.lexicon import LexicalHit
from memtui_core.store.lexicon.query import Query

UNRELATED = 0.85
"""Cosine distance from which on a turn is unrelated to a query."""
_RELATED = 0.72
"""Distance up to which a turn is a hit although no other engine found it."""
_RELATED_WITHOUT_WORDS = 0.8
"""The same if no turn contains any word of a query of several: a guess is better than no hit."""
_TOUCH_WEIGHTS: Mapping[str, float] = {"edited": 2.0, "read": 1.3, "mentioned": 0.65}
"""Score of a turn that touched every requested file: more than that of one that only contains the file's name."""
_NAME_WEIGHTS = 0.6, 0.1
"""Weights of lexicon and vectors for a name from code, which a model of plain language does not know."""
_EXACT_WEIGHTS = 0.6, 0.0
"""The same for a query with phrases or exclusions."""
_USUAL_RARITY = 0.57
"""Rarity of the words of a query for which lexicon and vectors are equally good."""
_RARITY_WEIGHT = 1.05
"""What is added to the weight of the lexicon for each 1 by which the words are rarer than usual."""
_MIN_WEIGHT = 0.05
"""The least weight of either engine."""
RANKED_BY_PASSAGES = 10
"""The best turns of a sentence that are ranked again by their passages."""
_PASSAGE_WEIGHT = 0.35
"""Weight of the best passage of a turn in that ranking, where it has all words of the query together: see
docs/search-quality.md."""
_SENTENCE = 3
"""Terms from which on a query is a sentence."""
_NAMES_OF_SENTENCE = 0.2
"""Share of its terms up to which names from code are part of a sentence: messages of commits and errors have more."""
_PROMPT_WEIGHT = 0.8
"""Weight of a passage of a prompt for a question: the agent's text answers more often than the one that asks, too."""
_ASKS = frozenset(
    """
    are can could did do does how is should was were what when where which who whose why would
    """.split()  # noqa: SIM905
)


@dataclass(slots=True)
class Candidate:
    """A turn with the hits of the engines that found it."""

    turn: int
    score: float = 0.0
    lexical: LexicalHit | None = None
    semantic: SemanticHit | None = None
    path: PathHit | None = None
    is_annotated: bool = False
    """Whether what the user has added to it, or to its session, contains the words."""

    @property
    def engines(self) -> int:
        """How many engines found it."""
        return sum(hit is not None for hit in (self.lexical, self.semantic, self.path))

    def order(self) -> tuple[float, int, int]:
        """A sort key: by score, then by the number of engines, then by id."""
        return (-round(self.score, 9), -self.engines, self.turn)


def is_semantic(query: Query) -> bool:
    """Whether a query describes what it looks for; one with phrases or exclusions states the exact words instead."""
    return bool(query.terms) and not query.phrases and not query.excluded


def is_sentence(query: Query) -> bool:
    """Whether a query says in several words what it looks for; with more names from code it repeats a text."""
    names = sum(map(_is_name, query.terms))
    return is_semantic(query) and len(query.terms) >= _SENTENCE and names <= _NAMES_OF_SENTENCE * len(query.terms)


def rank_of_passage(query: Query, score: float, passages: TurnPassages) -> float:
    """The score of a turn for a sentence: its own, and that of its best passage."""
    is_question = query.terms[0].lower() in _ASKS or query.terms[-1].endswith(("?", "？"))
    is_prompt = bool(passages.passages) and passages.passages[0].source == "user"
    weight = _PROMPT_WEIGHT if is_question and is_prompt else 1.0
    return (1 - _PASSAGE_WEIGHT) * score + _PASSAGE_WEIGHT * weight * passages.score


def fuse(
    query: Query,
    lexical_hits: Sequence[LexicalHit],
    semantic_hits: Sequence[SemanticHit],
    path_hits: Sequence[PathHit],
    path_share: float = 1.0,
) -> list[Candidate]:
    """All candidates, the best first; the hits of each engine come the best first.

    `path_share` is the share of their score that path hits keep.
    """
    is_name = bool(query.terms) and all(_is_name(term) for term in query.terms)
    lexical_weight, semantic_weight = _weights(query, lexical_hits, semantic_hits, is_name=is_name)
    candidates: dict[int, Candidate] = {}
    best, worst = (lexical_hits[0].score, lexical_hits[-1].score) if lexical_hits else (0.0, 0.0)
    for lexical in lexical_hits:
        candidate = candidates.setdefault(lexical.turn, Candidate(lexical.turn))
        candidate.lexical = lexical
        candidate.score += lexical_weight * ((lexical.score - worst) / (best - worst) if best > worst else 1.0)
    related = _RELATED_WITHOUT_WORDS if not lexical_hits and len(query.terms) > 1 else _RELATED
    nearest = semantic_hits[0].distance if semantic_hits else UNRELATED
    for semantic in semantic_hits if semantic_weight else ():
        # If turns contain the name, those that are only similar to it are noise.
        is_new = semantic.turn not in candidates
        if semantic.distance >= UNRELATED or (is_new and (semantic.distance > related or (is_name and lexical_hits))):
            continue
        candidate = candidates.setdefault(semantic.turn, Candidate(semantic.turn))
        candidate.semantic = semantic if semantic.distance <= related else None
        candidate.score += semantic_weight * (UNRELATED - semantic.distance) / (UNRELATED - nearest)
    most_paths = max((hit.matched for hit in path_hits), default=1)
    weight = path_share * path_weight(query)
    for touching in path_hits:
        candidate = candidates.setdefault(touching.turn, Candidate(touching.turn))
        candidate.path = touching
        candidate.score += weight * _TOUCH_WEIGHTS[touching.kind] * touching.matched / most_paths
    return sorted(candidates.values(), key=Candidate.order)


def with_annotated(candidates: Sequence[Candidate], annotated: Sequence[int], score: float) -> list[Candidate]:
    """The candidates with turns whose annotations contain the words, each with so much more score."""
    by_turn = {candidate.turn: candidate for candidate in candidates}
    for turn in annotated:
        candidate = by_turn.setdefault(turn, Candidate(turn))
        candidate.is_annotated = True
        candidate.score += score
    return sorted(by_turn.values(), key=Candidate.order)


def path_weight(query: Query) -> float:
    """The weight of path hits: 1 for a query of a word or two, less for a sentence that also names a file."""
    return min(1.0, (1 + len(query.paths)) / max(1, len(query.terms) + len(query.phrases)))


def _weights(
    query: Query, lexical_hits: Sequence[LexicalHit], semantic_hits: Sequence[SemanticHit], *, is_name: bool
) -> tuple[float, float]:
    """The weights of lexicon and vectors.

    Both start at one half. The engine whose first hit is further ahead of its second is more certain, and gets more by
    that distance; so does the lexicon if it found rare words. This was worth 5 points of MRR over fixed weights.
    """
    if not is_semantic(query):
        return _EXACT_WEIGHTS
    if is_name:
        return _NAME_WEIGHTS
    lexical_lead = 1.0
    if len(lexical_hits) > 1 and lexical_hits[0].score > 0:
        lexical_lead = (lexical_hits[0].score - lexical_hits[1].score) / lexical_hits[0].score
    if lexical_hits:
        lexical_lead += _RARITY_WEIGHT * (lexical_hits[0].rarity - _USUAL_RARITY)
    semantic_lead = 0.0
    if len(semantic_hits) > 1 and semantic_hits[0].distance < UNRELATED:
        first, second = semantic_hits[0].distance, semantic_hits[1].distance
        semantic_lead = (second - first) / max(0.05, UNRELATED - first)
    lexical_weight = min(1 - _MIN_WEIGHT, max(_MIN_WEIGHT, 0.5 + lexical_lead - semantic_lead))
    return lexical_weight, 1 - lexical_weight


def _is_name(term: str) -> bool:
    """Whether a term is no word of a sentence: `retry_upload`, `retryUpload`, `--flag`, `src/a.py`, `E1042`."""
    return not term.isalpha() or not (term.islower() or term.isupper() or term.istitle())
