"""The passages of a turn that answer a query, the best first.

A passage is a sentence or a few lines of one block. Words are worth more the rarer they are in the index. What was said
counts more than what a tool printed, and prose more than code: of two places with the same words the sentence answers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memtui_core.lexicon.matcher import Match, Matcher
from memtui_core.lexicon.tokens import fold
from memtui_core.model import Passage, Source
from memtui_core.search.sentences import LEAD, LENGTH, around, is_code, passage_end, sentence_start
from memtui_core.search.turn_texts import BlockText, TurnTexts

_WINDOW = 180
"""Characters in which words count as standing together."""
_MOST = 12
"""Passages of one turn."""
_WORTH = 0.3
"""Share of the best passage's worth below which another one is left out."""
_WEIGHTS: Mapping[Source, float] = {
    "user": 1.0,
    "assistant": 1.0,
    "thinking": 0.7,
    "tool call": 0.6,
    "note": 0.5,
    "tool output": 0.4,
}
_CODE = 0.7
"""What a window of code counts beside one of prose."""
_ALONE = 0.7
"""What a word counts alone beside what it counts among all words of the query: a message is all of its words."""
_NEAR = 0.35
"""Added to a window in the nearest chunk, as a share of all words' worth: the model says that the answer is there."""
_NEAR_ALONE = 0.5
"""The worth of the nearest chunk itself, as such a share."""
_SAME_KIND, _OTHER_KIND = 1.0, 0.6
"""The worth of a call that did to the file what the hit says of it, and of another call on that file."""
_DENSE = 40
"""Matches of a clause that count in one stretch of what was said."""
_SPARSE = 8
"""The same for tools, whose texts are long."""
_TOOL_BUDGET = 100_000
"""Characters of tool texts of one turn that are searched; more only until one place was found."""
_IN_NAME = re.compile(r"[\w-]")


@dataclass(frozen=True, slots=True)
class Near:
    """The chunk of a turn that is nearest in meaning."""

    closeness: float
    """0 for a chunk that has nothing to do with the query, 1 for one that says the same."""
    ranges: tuple[tuple[int, int, int], ...]
    """The parts of blocks that it is made of: `Block.seq`, first and last character."""


@dataclass(frozen=True, slots=True)
class Touch:
    """The file that a path hit is about."""

    path: str
    """Relative to the project's root; a call may name the file by the end of it, or by a longer path."""
    tools: Collection[str]
    """The tools that did what the hit says; empty for any."""
    worth: float = 1.0
    """The worth of the call beside that of all words of the query."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a turn holds of a query."""

    passages: tuple[Passage, ...] = ()
    clauses: frozenset[int] = frozenset()
    """The numbers of the clauses that were found in its blocks."""


@dataclass(slots=True)
class _Candidate:
    worth: float
    block: BlockText
    first: int
    last: int

    def rank(self) -> tuple[float, int, int]:
        return -round(self.worth, 6), self.block.block, self.first


class PassageFinder:
    """Finds passages for one query in any number of turns."""

    def __init__(
        self, matcher: Matcher, rarity: Sequence[float] = (), sources: Collection[Source] | None = None
    ) -> None:
        """Take the clauses of the query with the rarity of each, 0 to 1, and the sources that count, None for all."""
        self._matcher = matcher
        self._rarity = tuple(rarity) or (1.0,) * matcher.size
        self._sources = sources
        self._whole = sum(self._rarity) or 1.0

    def find(self, turn: TurnTexts, near: Near | None = None, touch: Touch | None = None) -> Evidence:
        """The passages of a turn, at most 12; without any evidence the beginning of what was said first."""
        clauses: set[int] = set()
        candidates = self._windows(turn, near, clauses)
        searched = [one for one in turn.blocks if self._counts(one)]
        candidates += _near_alone(searched, near, self._whole)
        candidates += _touching(searched, touch, self._whole)
        chosen = _chosen(candidates)
        if not chosen and turn.blocks:
            said = [one for one in turn.blocks if one.source in ("user", "assistant")] or turn.blocks
            text = said[0].text
            start = len(text) - len(text.lstrip())
            chosen = [_Candidate(0.0, said[0], start, passage_end(text, start, start))]
        return Evidence(tuple(_passage(one) for one in chosen), frozenset(clauses))

    def _counts(self, one: BlockText) -> bool:
        return self._sources is None or one.source in self._sources

    def _windows(self, turn: TurnTexts, near: Near | None, clauses: set[int]) -> list[_Candidate]:
        """The windows worth most; `clauses` takes the numbers of those that were found anywhere."""
        windows: list[tuple[float, BlockText, int, int]] = []
        for texts, most, budget in ((turn.said, _DENSE, None), (turn.tools, _SPARSE, _TOOL_BUDGET)):
            for one, matches in texts.matches(self._matcher, most, budget, needed=not clauses):
                if not self._counts(one):
                    continue
                clauses.update(match.clause for match in matches)
                for worth, start, end in self._dense(matches):
                    worth *= _WEIGHTS[one.source]
                    if near is not None and _overlaps(near, one.block, start, end):
                        worth += _NEAR * near.closeness * self._whole
                    windows.append((worth, one, start, end))
        windows.sort(key=lambda window: -window[0])
        candidates = []
        for worth, one, start, end in windows[: 3 * _MOST]:
            first, last = around(one.text, start, end)
            candidates.append(_Candidate(worth * (_CODE if is_code(one.text[first:last]) else 1.0), one, first, last))
        return candidates

    def _dense(self, matches: Sequence[Match]) -> Iterator[tuple[float, int, int]]:
        """Worth, start and end of the windows with the most words, none of which overlap."""
        inside: Counter[int] = Counter()
        windows: list[tuple[float, int, int]] = []
        last = 0
        for number, match in enumerate(matches):
            while last < len(matches) and (matches[last].end - match.start <= _WINDOW or last <= number):
                inside[matches[last].clause] += 1
                last += 1
            held = sum(self._rarity[clause] for clause, count in inside.items() if count)
            worth = held * (_ALONE + (1 - _ALONE) * held / self._whole)
            end = max(one.end for one in matches[number:last])
            windows.append((worth + 0.1 * self._closeness(matches, number, last) * worth, match.start, end))
            inside[match.clause] -= 1
        taken: list[tuple[int, int]] = []
        for worth, start, end in sorted(windows, key=lambda window: (-window[0], window[1])):
            if all(end <= first or start >= until for first, until in taken):
                taken.append((start, max(end, start + LENGTH // 2)))
                yield worth, start, end
                if len(taken) == _MOST:
                    return

    def _closeness(self, matches: Sequence[Match], first: int, last: int) -> float:
        """How near the words of a window stand to each other, 0 to 1: a phrase is 1."""
        extent = matches[last - 1].end - matches[first].start
        length = sum(match.end - match.start for match in matches[first:last])
        return min(1.0, length / max(extent, 1))


def _near_alone(blocks: Sequence[BlockText], near: Near | None, whole: float) -> Iterator[_Candidate]:
    if near is None:
        return
    by_number = {one.block: one for one in blocks if one.source in ("user", "assistant")}
    # The longest part of the chunk: of a short end and a long beginning the latter says what it is about.
    for number, first, last in sorted(near.ranges, key=lambda part: part[1] - part[2])[:1]:
        if (one := by_number.get(number)) is not None:
            start = sentence_start(one.text, first)
            yield _Candidate(
                _NEAR_ALONE * near.closeness * whole, one, start, passage_end(one.text, start, min(last, start))
            )


def _touching(blocks: Sequence[BlockText], touch: Touch | None, whole: float) -> Iterator[_Candidate]:
    """The calls on the file of a path hit, or what the person said of it; else the places that name it."""
    if touch is None:
        return
    doing = [one for one in blocks if one.source == "tool call" or (one.source == "user" and "mention" in touch.tools)]
    named = _naming(doing, touch.path) or _naming(blocks, touch.path)
    for one, place in named:
        kind = _SAME_KIND if not touch.tools or _doer(one) in touch.tools else _OTHER_KIND
        start = 0 if place <= LEAD else sentence_start(one.text, place)
        yield _Candidate(kind * touch.worth * whole, one, start, passage_end(one.text, start, place + len(touch.path)))


def _doer(one: BlockText) -> str:
    """The tool of a call; what names a file elsewhere only mentions it."""
    return one.text.split(" ", 1)[0] if one.source == "tool call" else "mention"


def _naming(blocks: Sequence[BlockText], path: str) -> list[tuple[BlockText, int]]:
    """The blocks that hold a path, or its end when none holds all of it, and where."""
    texts = [(one, fold(one.text.replace("\\", "/"))) for one in blocks]
    for wanted in dict.fromkeys((fold(path), fold(path.rpartition("/")[2]))):
        named = [(one, place) for one, text in texts if (place := _place_of(wanted, text)) >= 0]
        if named:
            return named
    return []


def _place_of(path: str, text: str) -> int:
    """Where a path stands in a text, as a whole or as the end of a longer one; -1 when it does not."""
    place = text.find(path)
    while place >= 0 and (
        _IN_NAME.fullmatch(text[place - 1 : place]) or _IN_NAME.fullmatch(text[place + len(path) :][:1])
    ):
        place = text.find(path, place + 1)
    return place


def _chosen(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The best passages; none overlaps a better one, and what is worth little beside the best is left out."""
    chosen: list[_Candidate] = []
    for one in sorted(candidates, key=_Candidate.rank):
        if chosen and one.worth < _WORTH * chosen[0].worth:
            break
        if all(one.block is not other.block or _apart(one, other) for other in chosen):
            chosen.append(one)
        if len(chosen) == _MOST:
            break
    return chosen


def _apart(one: _Candidate, other: _Candidate) -> bool:
    return one.last <= other.first or one.first >= other.last


def _passage(one: _Candidate) -> Passage:
    return Passage(one.block.block, one.first, one.last, one.block.source, one.block.text[one.first : one.last])


def _overlaps(near: Near, block: int, start: int, end: int) -> bool:
    return any(number == block and start < last and end > first for number, first, last in near.ranges)
