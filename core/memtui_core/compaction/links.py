"""Links between the sentences of a summary and the turns that they are about."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from memtui_core.compaction.words import file_names, is_compound, names, normalized_text, words
from memtui_core.model import Span

_LEAST_SHARE = 0.3
"""The least share of a sentence's weight that a linked turn has,"""
_LEAST_OF_BEST = 0.75
"""and the least share of the score of the best turn."""
_LEAST_WEIGHT = 2.0
"""A sentence that weighs less, which is about two plain words, links only to turns that it quotes."""
_SHORTEST_QUOTE = 8
"""Characters of a sentence from which on it can quote a turn."""
_PATH_WEIGHT, _NAME_WEIGHT = 3.0, 2.0
"""Weights of the names of files and of other names; a plain word weighs 1."""


@dataclass(frozen=True, slots=True)
class TurnScore:
    """A turn and the share of a text that it contains, 0 to 1."""

    turn: int
    score: float


@dataclass(frozen=True, slots=True)
class TurnFeatures:
    """The words, names and files of a turn, see `text_features`."""

    number: int
    features: set[str]
    prompt: str
    """Its prompt, as `normalized_text` returns it."""


class SummaryLinks:
    """An inverted index of a segment's turns, queried once for each sentence of its summary."""

    def __init__(self, summary: str, sentences: Sequence[Span], turns: Sequence[TurnFeatures]) -> None:
        self._turns: dict[str, list[int]] = defaultdict(list)
        self._count = len(turns)
        for turn in turns:
            for feature in turn.features:
                self._turns[feature].append(turn.number)
        self._sentences: list[tuple[Span, dict[str, float], frozenset[int]]] = []
        self._sentences_by_turn: dict[int, list[Span]] = defaultdict(list)
        for span in sentences:
            text = summary[span.start : span.end]
            plain = normalized_text(text).strip(" .:")
            quoted = frozenset(turn.number for turn in turns if len(plain) >= _SHORTEST_QUOTE and plain in turn.prompt)
            self._sentences.append((span, self._weights(text), quoted))
            for scored in self._scores(self._sentences[-1][1], quoted):
                self._sentences_by_turn[scored.turn].append(span)

    def linked_turns(self, span: Span) -> tuple[TurnScore, ...]:
        """The turns that the sentences within a span are about, the best first."""
        combined: dict[str, float] = {}
        inside = [entry for entry in self._sentences if entry[0].start < span.end and span.start < entry[0].end]
        for _, weights, _ in inside:
            combined.update(weights)
        return self._scores(combined, inside[0][2] if len(inside) == 1 else frozenset())

    def spans_of(self, turn: int) -> tuple[Span, ...]:
        """The sentences that are about a turn, in order."""
        return tuple(self._sentences_by_turn.get(turn, ()))

    def _weights(self, text: str) -> dict[str, float]:
        """The features of a text with their weights: the fewer turns have a feature, the higher its weight."""
        weights = {}
        for feature in text_features(text):
            kind_weight = _PATH_WEIGHT if feature.startswith("/") else _NAME_WEIGHT if feature.startswith("$") else 1.0
            weights[feature] = kind_weight * math.log(1 + (self._count + 1) / (1 + len(self._turns.get(feature, ()))))
        return weights

    def _scores(self, weights: dict[str, float], quoted: frozenset[int]) -> tuple[TurnScore, ...]:
        """The turns that contain enough of the features, and those that are quoted, which have the score 1."""
        total = sum(weights.values())
        sums: dict[int, float] = defaultdict(float)
        for feature, weight in weights.items() if total >= _LEAST_WEIGHT else ():
            for turn in self._turns.get(feature, ()):
                sums[turn] += weight / total
        sums.update(dict.fromkeys(quoted, 1.0))
        best = max(sums.values(), default=0.0)
        scores = [
            TurnScore(turn, min(1.0, score))
            for turn, score in sums.items()
            if score >= _LEAST_SHARE and score >= _LEAST_OF_BEST * best
        ]
        return tuple(sorted(scores, key=lambda scored: (-sums[scored.turn], scored.turn)))


def text_features(text: str) -> set[str]:
    """The features by which texts are compared: words, names with a `$` before them, and names of files with a `/`."""
    features = set(words(text))
    features.update("$" + name for name in names(text) if is_compound(name))
    features.update("/" + name for name in file_names(text))
    return features
