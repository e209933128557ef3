"""The scale of the minimap: which turn is at which of its rows, and what is marked there.

The scale depends on the list of turns alone: it does not change while blocks are loaded, folded and laid out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, islice
from typing import Final, Literal, NamedTuple

from memtui_core.model import PROMPTS, Turn
from memtui_core.tools.turn_text import tool_of_line
from memtui_core.tools.vocabulary import vocabulary

MarkKind = Literal["compaction", "error", "match", "edit", "prompt"]
_RANKS: Final[dict[MarkKind, int]] = {"compaction": 0, "error": 1, "match": 2, "edit": 3, "prompt": 4}
"""Of several marks in one row that of the lowest rank is shown."""
_HEADS: Final = 3
"""Lines of the heads of a turn and the blank line after it."""
_LINE: Final = 80
"""Characters of a line, for the estimate of a length."""
_LONGEST_PROMPT: Final = 1600
_LONGEST_ANSWER: Final = 8000
_CALL: Final = 40
"""Characters that stand for a tool call."""


class Mark(NamedTuple):
    """Something in a turn that is worth a mark."""

    kind: MarkKind
    turn: int
    """Index of the turn."""
    share: float
    """The relative position in the turn, 0 to 1."""


class Scale:
    """Maps turns to rows, in proportion to their estimated lengths."""

    def __init__(self, turns: Sequence[Turn], height: int) -> None:
        self.height = height
        self._tops = list(accumulate(map(_length, turns), initial=0))

    def row(self, turn: int, share: float = 0.0) -> int:
        """The row of a position in a turn, given by the turn's index and a share of its length."""
        tops = self._tops
        at = tops[turn] + share * (tops[turn + 1] - tops[turn])
        return max(0, min(self.height - 1, int(at * self.height / tops[-1])))

    def position(self, row: float) -> tuple[int, float]:
        """The index of the turn at a row and the relative position in it; the inverse of `row`."""
        tops = self._tops
        at = max(0.0, min(1.0, row / self.height)) * tops[-1]
        turn = min(bisect_right(tops, at) - 1, len(tops) - 2)
        return turn, (at - tops[turn]) / (tops[turn + 1] - tops[turn])


def turn_marks(scale: Scale, turns: Iterable[Turn]) -> Iterator[Mark]:
    """The marks of all turns, matches excepted: edits in the order of the calls, an error in the middle of its turn.

    A turn that fits in one row has one edit at most.
    """
    for index, turn in enumerate(turns):
        if turn.kind == "compaction":
            yield Mark("compaction", index, 0.0)
        elif turn.kind in PROMPTS:
            yield Mark("prompt", index, 0.0)
        calls = turn.tool_summary
        edits: Iterator[int] = (n for n, call in enumerate(calls) if _edits(tool_of_line(call)))
        if calls and scale.row(index) == scale.row(index, 1.0):
            edits = islice(edits, 1)
        yield from (Mark("edit", index, (n + 0.5) / len(calls)) for n in edits)
        if turn.errors:
            yield Mark("error", index, 0.5)


def rows_of(scale: Scale, marks: Iterable[Mark]) -> dict[int, Mark]:
    """The mark of each row: the most important one, the first of several of its kind."""
    rows: dict[int, Mark] = {}
    for mark in marks:
        row = scale.row(mark.turn, mark.share)
        shown = rows.get(row)
        if shown is None or _RANKS[mark.kind] < _RANKS[shown.kind]:
            rows[row] = mark
    return rows


def _length(turn: Turn) -> int:
    """The estimated lines of a turn."""
    prompt = min(len(turn.user_text), _LONGEST_PROMPT)
    answer = min(turn.output_tokens, _LONGEST_ANSWER) + _CALL * len(turn.tool_summary)
    return _HEADS + prompt // _LINE + answer // _LINE


@lru_cache(1000)
def _edits(tool: str) -> bool:
    """Whether a tool edits files; a command of the shell only may do so."""
    return vocabulary().may_edit(tool) and vocabulary().family_of(tool) != "shell"
