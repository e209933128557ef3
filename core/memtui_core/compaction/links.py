"""Which turns a sentence of the summary speaks of."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from memtui_core.compaction.words import file_names, flat, is_compound, names, words
from memtui_core.model import Span

_LEAST = 0.3
"""Share of a sentence's telling weight that a turn must have."""
_NEAR_BEST = 0.75
"""And how near it must come to the turn that has the most."""
_LEAST_WEIGHT = 2.0
"""Sentences that tell less than about two plain words speak of no turn, unless they quote it."""
_QUOTED = 8
"""Letters of a sentence that quotes a turn."""
_PATH_WEIGHT, _NAME_WEIGHT = 3.0, 2.0


@dataclass(frozen=True, slots=True)
class TurnScore:
    """A turn and how much of a text is in it, 0 to 1."""

    turn: int
    score: float


@dataclass(frozen=True, slots=True)
class TurnText:
    """What a turn is known by."""

    number: int
    features: set[str]
    asked: str
    """What opened it, as `flat` gives it."""


class Links:
    """An inverted index of a segment's turns, asked once for each sentence of its summary."""

    def __init__(self, summary: str, sentences: Sequence[Span], turns: Sequence[TurnText]) -> None:
        self._turns: dict[str, list[int]] = defaultdict(list)
        self._count = len(turns)
        for turn in turns:
            for feature in turn.features:
                self._turns[feature].append(turn.number)
        self._sentences: list[tuple[Span, dict[str, float], frozenset[int]]] = []
        self._spoken: dict[int, list[Span]] = defaultdict(list)
        for span in sentences:
            text = summary[span.start : span.end]
            plain = flat(text).strip(" .:")
            quoted = frozenset(turn.number for turn in turns if len(plain) >= _QUOTED and plain in turn.asked)
            self._sentences.append((span, self._weights(text), quoted))
            for found in self._scores(self._sentences[-1][1], quoted):
                self._spoken[found.turn].append(span)

    def turns_of(self, span: Span) -> tuple[TurnScore, ...]:
        """The turns that the sentences within a span speak of, the best first."""
        total: dict[str, float] = {}
        inside = [one for one in self._sentences if one[0].start < span.end and span.start < one[0].end]
        for _, weights, _ in inside:
            total.update(weights)
        return self._scores(total, inside[0][2] if len(inside) == 1 else frozenset())

    def spans_of(self, turn: int) -> tuple[Span, ...]:
        """The sentences that speak of a turn, in order."""
        return tuple(self._spoken.get(turn, ()))

    def _weights(self, text: str) -> dict[str, float]:
        """What a text tells, by how much it tells; what every turn has tells little, what none has still tells."""
        weights = {}
        for feature in features_of(text):
            kind = _PATH_WEIGHT if feature.startswith("/") else _NAME_WEIGHT if feature.startswith("$") else 1.0
            weights[feature] = kind * math.log(1 + (self._count + 1) / (1 + len(self._turns.get(feature, ()))))
        return weights

    def _scores(self, weights: dict[str, float], quoted: frozenset[int]) -> tuple[TurnScore, ...]:
        """The turns that hold enough of some features, and those that were quoted, which is as sure as can be."""
        total = sum(weights.values())
        sums: dict[int, float] = defaultdict(float)
        for feature, weight in weights.items() if total >= _LEAST_WEIGHT else ():
            for turn in self._turns.get(feature, ()):
                sums[turn] += weight / total
        sums.update(dict.fromkeys(quoted, 1.0))
        best = max(sums.values(), default=0.0)
        chosen = [(t, s) for t, s in sums.items() if s >= _LEAST and s >= _NEAR_BEST * best]
        return tuple(TurnScore(t, min(1.0, s)) for t, s in sorted(chosen, key=lambda one: (-one[1], one[0])))


def features_of(text: str) -> set[str]:
    """What ties texts together: words, `$` names of more than one part, `/` names of files."""
    found = set(words(text))
    found.update("$" + name for name in names(text) if is_compound(name))
    found.update("/" + name for name in file_names(text))
    return found
