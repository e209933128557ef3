"""Words that follow each other in a query and stand near each other in a turn, which says more than both alone.

The server does not know where words stand, so this is looked up in the texts that were fetched, with the weights of the
local keyword index.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from memtui_core.store.lexicon.fields import WEIGHTS
from memtui_core.store.lexicon.query import Clause
from memtui_core.store.lexicon.tokens import fold
from memtui_team.terms import impact_in

FIELDS: Final = ("user", "assistant", "thinking", "title", "notes", "call", "output")
"""The fields whose texts are compared."""
_WEIGHT: Final = 0.6
"""As in `lexicon/scoring.py`."""
_MAX_CLAUSES: Final = 8
"""Most clauses of a query in which such pairs count."""
_BETWEEN: Final = r"[\W_]{1,40}"
_OTHER_WORDS: Final = rf"(?:{_BETWEEN}[^\W_]{{1,100}}){{0,3}}?"
_MAX_TEXT: Final = 60_000
"""Characters of a field that are compared."""
_WORD_LENGTH: Final = 6
"""Characters of a word with what follows it, on average."""


class _Pair(NamedTuple):
    first: int
    pattern: re.Pattern[str]
    words: tuple[str, str]


class Pairs:
    """The pairs of a query."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self._pairs = list(_pairs(clauses)) if len(clauses) <= _MAX_CLAUSES else []

    def __bool__(self) -> bool:
        return bool(self._pairs)

    def score(self, texts: Mapping[str, str], weights: Sequence[float]) -> float:
        """What the pairs add to the score of a turn, given the texts of its fields, and how rare each clause is."""
        best = [0.0] * len(self._pairs)
        for name, text in texts.items():
            folded = fold(text[:_MAX_TEXT])
            for place, pair in enumerate(self._pairs):
                if all(word in folded for word in pair.words) and (count := len(pair.pattern.findall(folded))):
                    impact = impact_in(name, count, len(text) // _WORD_LENGTH)
                    rarity = weights[pair.first] + weights[pair.first + 1]
                    best[place] = max(best[place], WEIGHTS[name] * impact * rarity)
        return _WEIGHT * sum(best)


def _pairs(clauses: Sequence[Clause]) -> list[_Pair]:
    pairs = []
    for number, (one, two) in enumerate(pairwise(clauses)):
        if len(one.words) == len(two.words) == 1 and not two.prefix:
            first, second = map(re.escape, (*one.words, *two.words))
            pattern = rf"(?<![^\W_]){first}{_OTHER_WORDS}{_BETWEEN}{second}(?![^\W_])"
            pairs.append(_Pair(number, re.compile(pattern), (*one.words, *two.words)))
    return pairs
