"""What the server searches of a turn: its tokens, each with how much a match of it says about the turn.

The tokens are those of the local keyword index. How much a token counts is decided when a turn is pushed, by the
formula and the weights of the fields that the local index uses, with usual lengths of fields instead of those of one
index. The server multiplies it by the rarity of the token.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final, NamedTuple

from memtui_core.store.lexicon.fields import ASIDES, WEIGHTS, TurnDoc
from memtui_core.store.lexicon.tokens import CJK, analyze, words

RANK_WEIGHTS: Final = (0.16, 0.33, 0.6, 1.0)
"""What the labels D, C, B and A of a position count in `ts_rank`."""
UNIT: Final = 2.0
"""The impact that counts 1 there."""
NAME: Final = "\u01c0"
"""Stands for `_` in a name: PostgreSQL takes it for a letter, so that it leaves the name whole."""
PART: Final = "\u01c3"
"""Before a part of a name, which is no word of the text: `upload` in `retryUpload`."""
_NAMES: Final = str.maketrans({"_": NAME, "+": "\u01c1", "#": "\u01c2"})
_LENGTHS: Final[Mapping[str, float]] = {
    "user": 150, "assistant": 300, "title": 4, "call": 600, "paths": 25, "thinking": 80, "notes": 15, "output": 2000,
}  # fmt: skip
"""Words that a turn has in each field on average, in an index of 200 turns of real work."""
_PAIRS_LENGTH: Final = 40
_SATURATION, _LENGTH_SHARE = 1.2, 0.75
"""The constants k1 and b of BM25, as tantivy has them."""
_OTHER_FIELDS: Final = 0.2
"""As in `lexicon/scoring.py`: the share of the other fields that is added to the best one."""
_REPEATS: Final = 3
"""How often a token with the impact 1 is repeated for BM25."""
_MAX_BYTES: Final = 900_000
"""Bytes of the tokens of a turn: a tsvector has at most a megabyte. The tokens with the least impact are left out."""
_OVERHEAD: Final = 10
"""Bytes of a token in a tsvector besides its letters."""


class TurnTerms(NamedTuple):
    """The values of two columns of `memtui.turns`."""

    text: str
    """Tokens separated by spaces, each as often as it counts, for BM25."""
    words: str
    """The same as a tsvector; the labels of a token's positions say how much it counts."""


def turn_terms(document: TurnDoc) -> TurnTerms:
    """The terms of a turn, from the document that the local keyword index gets."""
    impacts = _bounded(_impacts(document))
    text = " ".join(" ".join([token] * max(1, round(impact * _REPEATS))) for token, impact in impacts.items())
    return TurnTerms(text, " ".join(f"'{token}':{_positions(impact)}" for token, impact in impacts.items()))


def part_token(part: str) -> str:
    """The token of a part of a name."""
    return PART + part


def name_token(name: str) -> str:
    """The token of a whole name with symbols, in lower case: `api_key`, `c++`."""
    return name.translate(_NAMES)


def impact_in(field: str, count: int, length: int) -> float:
    """How much a match in a field counts that occurs so often in so many words, without the weight of the field."""
    return _impact(count, length, _LENGTHS[field])


def _impacts(document: TurnDoc) -> dict[str, float]:
    texts = {name: text for name, text in document.texts.items() if name != ASIDES}
    by_token: dict[str, list[float]] = {}
    for name, text in texts.items():
        tokens = [token for token in words(text) if token.isascii() or not CJK.search(token)]
        for token, count in Counter(tokens).items():
            by_token.setdefault(token, []).append(WEIGHTS[name] * impact_in(name, count, len(tokens)))
    impacts = {token: _best(own) for token, own in by_token.items()}
    analysis = document.analysis or analyze(texts.values())
    pairs = analysis.pairs.split()
    impacts |= {pair: _impact(count, len(pairs), _PAIRS_LENGTH) for pair, count in Counter(pairs).items()}
    for part in " ".join(analysis.parts).split():
        impacts[part_token(part) if part.isalnum() else name_token(part)] = 1.0
    return impacts


def _best(impacts: list[float]) -> float:
    best = max(impacts)
    return best + _OTHER_FIELDS * (sum(impacts) - best)


def _impact(count: int, length: int, usual: float) -> float:
    """The factor of BM25 that depends on the document; the other one is the rarity of the token."""
    norm = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length / usual)
    return count * (1 + _SATURATION) / (count + norm)


def _bounded(impacts: Mapping[str, float]) -> dict[str, float]:
    """The tokens in their order, those that count most as far as there is room."""
    kept: dict[str, float] = {}
    room = _MAX_BYTES
    for token, impact in sorted(impacts.items(), key=lambda one: (-one[1], one[0])):
        room -= len(token.encode()) + _OVERHEAD
        if room < 0:
            break
        kept[token] = impact
    return dict(sorted(kept.items()))


def _levels() -> Iterator[tuple[float, str]]:
    """The values that `ts_rank` can have for one or two positions, each with the labels of these."""
    weights = dict(zip("DCBA", RANK_WEIGHTS, strict=True))
    for label, weight in weights.items():
        yield weight, f"1{label}"
    for first, second in product(weights, repeat=2):
        # The largest counts whole, any other one divided by the square of its place.
        one, two = weights[first], weights[second]
        yield (one + two / 4 if one >= two else one + two), f"1{first},2{second}"


_LEVELS: Final = sorted(dict(sorted(_levels(), reverse=True)).items())
_VALUES: Final = [value for value, _ in _LEVELS]


def _positions(impact: float) -> str:
    value = impact / UNIT
    place = bisect_left(_VALUES, value)
    return min(_LEVELS[max(0, place - 1) : place + 1] or _LEVELS[-1:], key=lambda level: abs(level[0] - value))[1]
