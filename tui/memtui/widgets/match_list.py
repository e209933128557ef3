"""Where the words of a search stand in a session: counted turn by turn, in the order in which they are read."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from memtui.render.marks import Pattern, pattern
from memtui.render.parts import parts
from memtui.render.rows import GAP, Row
from memtui.render.view import Part, View
from memtui_core.model import Block, Turn


class Match(NamedTuple):
    """One match, told so that it is found at any fold level."""

    number: int
    """`Turn.number`."""
    seq: int
    """`Part.seq`."""
    nth: int
    """Which part with this `seq` that has a text."""
    ordinal: int
    """Which match in the part."""
    head: bool
    """It stands in the part's first row."""


class MatchList:
    """The matches of some words in the turns that were counted so far."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        self.words = tuple(words)
        self.pattern: Pattern | None = pattern(words)
        self.total = 0
        self.current: Match | None = None
        self._found: dict[int, list[Match]] = {}
        self._numbers: list[int] = []

    def counted(self, number: int) -> bool:
        """The turn was counted."""
        return number in self._found

    def count(self, turn: Turn, blocks: Sequence[Block], view: View, width: int) -> None:
        """Count a turn, folded text included."""
        if self.pattern is None or self.counted(turn.number):
            return
        found: list[Match] = []
        if self._may_match(turn, blocks):
            opened = replace(view, tools="full", thinking="full")
            nths: dict[int, int] = {}
            for part in parts(turn, blocks, opened, last=True):
                if part.texts:
                    nth = nths[part.seq] = nths.get(part.seq, -1) + 1
                    found += self._in_part(turn.number, part, nth, width)
        self._found[turn.number] = found
        self.total += len(found)
        if found:
            insort(self._numbers, turn.number)

    def _may_match(self, turn: Turn, blocks: Sequence[Block]) -> bool:
        assert self.pattern is not None
        search = self.pattern.search
        return any(search(block.text) or (block.tool and search(block.tool)) for block in blocks) or bool(
            search(turn.user_text)
        )

    def _in_part(self, number: int, part: Part, nth: int, width: int) -> list[Match]:
        assert self.pattern is not None
        if not any(map(self.pattern.search, part.texts)):
            return []
        rows: list[Row] = part.rows(width)
        first = next((row for row in rows if row.seq != GAP), None)
        found: list[Match] = []
        for row in rows:
            for _ in self.pattern.finditer(row.text):
                found.append(Match(number, part.seq, nth, len(found), row is first))
        return found

    def forget(self, number: int) -> None:
        """Count a turn again: it has changed."""
        found = self._found.pop(number, None)
        if found:
            self.total -= len(found)
            self._numbers.remove(number)
        if self.current is not None and self.current.number == number:
            self.current = None

    def of(self, number: int) -> list[Match]:
        """The matches of one turn."""
        return self._found.get(number, [])

    def position(self) -> int:
        """Which match is the current one, from 1; 0 when there is none."""
        if self.current is None:
            return 0
        before = self._numbers[: bisect_left(self._numbers, self.current.number)]
        return sum(len(self._found[number]) for number in before) + self.of(self.current.number).index(self.current) + 1
