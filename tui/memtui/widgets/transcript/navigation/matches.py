"""The matches of words in a session, counted turn by turn, in reading order."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from memtui.render.marks import Pattern, pattern
from memtui.render.options import RenderOptions
from memtui.render.rows import GAP, Row
from memtui.render.turns.part import Part
from memtui.render.turns.parts import parts
from memtui_core.model import Block, Turn


class TranscriptMatch(NamedTuple):
    """A match, identified so that it is found at any fold level."""

    number: int
    """`Turn.number`."""
    seq: int
    """`Part.seq`."""
    nth: int
    """Index among the parts with this `seq` that have a text."""
    ordinal: int
    """Index among the matches in the part."""
    head: bool
    """Whether it is in the first row of the part."""


class MatchList:
    """The matches in the turns counted so far."""

    def __init__(self) -> None:
        self.search_for(())

    def search_for(self, words: Sequence[str]) -> None:
        """Drop all matches and search for other words."""
        self.words = tuple(words)
        self.pattern: Pattern | None = pattern(words)
        self.total = 0
        self.current: TranscriptMatch | None = None
        self._by_turn: dict[int, list[TranscriptMatch]] = {}
        self._turns_with_matches: list[int] = []

    def blocks(self) -> Iterator[tuple[int, int]]:
        """`Turn.number` and `Part.seq` of everything with a match, in order."""
        for number in self._turns_with_matches:
            yield from dict.fromkeys((number, match.seq) for match in self._by_turn[number])

    def counted(self, number: int) -> bool:
        """Whether a turn is counted."""
        return number in self._by_turn

    def count(self, turn: Turn, blocks: Sequence[Block], options: RenderOptions, width: int) -> None:
        """Count a turn, folded text included."""
        if self.pattern is None or self.counted(turn.number):
            return
        matches: list[TranscriptMatch] = []
        if self._may_match(turn, blocks):
            opened = replace(options, tools="full", thinking="full")
            nths: dict[int, int] = {}
            for part in parts(turn, blocks, opened, last=True):
                if part.texts:
                    nth = nths[part.seq] = nths.get(part.seq, -1) + 1
                    matches += self._in_part(turn.number, part, nth, width)
        self._by_turn[turn.number] = matches
        self.total += len(matches)
        if matches:
            insort(self._turns_with_matches, turn.number)

    def _may_match(self, turn: Turn, blocks: Sequence[Block]) -> bool:
        assert self.pattern is not None
        search = self.pattern.search
        return any(search(block.text) or (block.tool and search(block.tool)) for block in blocks) or bool(
            search(turn.user_text)
        )

    def _in_part(self, number: int, part: Part, nth: int, width: int) -> list[TranscriptMatch]:
        assert self.pattern is not None
        if not any(map(self.pattern.search, part.texts)):
            return []
        rows: list[Row] = part.rows(width)
        first = next((row for row in rows if row.seq != GAP), None)
        matches: list[TranscriptMatch] = []
        for row in rows:
            for _ in self.pattern.finditer(row.text):
                matches.append(TranscriptMatch(number, part.seq, nth, len(matches), row is first))
        return matches

    def forget(self, number: int) -> None:
        """Drop the matches of a turn that has changed."""
        matches = self._by_turn.pop(number, None)
        if matches:
            self.total -= len(matches)
            self._turns_with_matches.remove(number)
        if self.current is not None and self.current.number == number:
            self.current = None

    def of(self, number: int) -> list[TranscriptMatch]:
        """The matches of a turn."""
        return self._by_turn.get(number, [])

    def position(self) -> int:
        """The number of the current match, from 1; 0 if there is none."""
        if self.current is None:
            return 0
        earlier = self._turns_with_matches[: bisect_left(self._turns_with_matches, self.current.number)]
        in_turn = self.of(self.current.number).index(self.current) + 1
        return sum(len(self._by_turn[number]) for number in earlier) + in_turn
