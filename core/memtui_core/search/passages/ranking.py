"""The passages of a turn that answer a query, the best first.

A passage is a sentence or a few lines of one block. Words count more the rarer they are in the index. The conversation
counts more than what tools print, and prose more than code: of two passages with the same words the sentence wins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memtui_core.model import Passage, Source
from memtui_core.search.passages.searched_turn import (
    MAX_LEAD,
    MAX_LENGTH,
    SearchedBlock,
    SearchedTurn,
    is_code,
    is_cut,
    passage_end,
    passage_range,
    sentence_start,
)
from memtui_core.store.lexicon.matcher import Match, Matcher
from memtui_core.store.lexicon.tokens import clean, fold

_WINDOW = 180
"""Characters within which words count as being together."""
_MAX_PASSAGES = 12
"""Most passages of one turn."""
_MIN_SHARE = 0.3
"""Share of the best passage's score below which another passage is left out."""
_SOURCE_WEIGHTS: Mapping[Source, float] = {
    "user": 1.0,
    "assistant": 1.0,
    "thinking": 0.7,
    "tool call": 0.6,
    "note": 0.5,
    "aside": 0.5,
    "tool output": 0.4,
}
_CODE_WEIGHT = 0.7
"""Weight of a window of code, compared with one of prose."""
_SINGLE_WORD = 0.7
"""Weight of a word that stands alone, compared with its weight among all words of the query."""
_IN_NEAREST_CHUNK = 0.35
"""Added to a window in the nearest chunk, as a share of the score of all words: the model says that it answers."""
_NEAREST_CHUNK = 0.5
"""Score of the nearest chunk itself, as such a share."""
_QUOTE = 0.5
"""Score of what a fact of the turn quotes, as such a share."""
_SAME_TOOL, _OTHER_TOOL = 1.0, 0.6
"""Weight of a call that touched the file as the hit states, and of another call on that file."""
_MAX_MATCHES = 40
"""Matches of a clause that count in one slice of the conversation."""
_MAX_TOOL_MATCHES = 8
"""The same for tools, whose texts are long."""
_TOOL_BUDGET = 100_000
"""Characters of tool texts of one turn that are searched; more only until the first match."""
_NAME_CHARACTER = re.compile(r"[\w-]")


@dataclass(frozen=True, slots=True)
class NearestChunk:
    """The chunk of a turn that is nearest to the query in meaning."""

    closeness: float
    """0 for a chunk that is unrelated to the query, 1 for one that says the same."""
    ranges: tuple[tuple[int, int, int], ...]
    """The parts of blocks that it consists of: `Block.seq`, first and last character."""


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """The file of a path hit."""

    path: str
    """Relative to the project's root; a call may name the file by the end of this path, or by a longer one."""
    tools: Collection[str]
    """The tools that touched it as the hit states; empty for any."""
    weight: float = 1.0
    """The weight of a call on it, compared with all words of the query."""


@dataclass(frozen=True, slots=True)
class TurnPassages:
    """The passages of a turn, and the clauses that match in it."""

    passages: tuple[Passage, ...] = ()
    """The best first."""
    clauses: frozenset[int] = frozenset()
    """The numbers of the clauses that match in its blocks."""
    score: float = 0.0
    """That of the best passage: 1 if all words of the query are together in prose, more if the meaning is near, too."""


@dataclass(slots=True)
class _Candidate:
    score: float
    block: SearchedBlock
    first: int
    last: int
    is_whole: bool = False
    """Whether nothing of its sentence is missing, however it ends."""

    def order(self) -> tuple[float, int, int]:
        return -round(self.score, 6), self.block.seq, self.first

    def overlaps(self, other: _Candidate) -> bool:
        return self.block is other.block and self.first < other.last and self.last > other.first


class PassageFinder:
    """Finds the passages for one query in any number of turns."""

    def __init__(
        self, matcher: Matcher, rarity: Sequence[float] = (), sources: Collection[Source] | None = None
    ) -> None:
        """Take the clauses of the query, the rarity of each, 0 to 1, and the sources that count, None for the usual."""
        self._matcher = matcher
        self._rarity = tuple(rarity) or (1.0,) * matcher.size
        self._sources = sources
        self._full_score = sum(self._rarity) or 1.0
        """The score of a window with all words of the query."""

    @property
    def has_expressions(self) -> bool:
        """Whether the query has a regular expression."""
        return self._matcher.has_expressions

    def find(
        self,
        turn: SearchedTurn,
        chunk: NearestChunk | None = None,
        file: TouchedFile | None = None,
        quotes: Iterable[tuple[int, str]] = (),
    ) -> TurnPassages:
        """The passages of a turn, at most 12; the beginning of its conversation if nothing in it answers.

        `quotes` are parts that answer, too: `Block.seq` of each, and its text with blanks as line breaks.
        """
        clauses: set[int] = set()
        candidates = self._windows(turn, chunk, clauses)
        searched = [block for block in turn.blocks if self._is_searched(block)]
        candidates += _nearest_chunk(searched, chunk, self._full_score)
        candidates += _places_of_file(searched, file, self._full_score)
        candidates += _places_of_quotes(searched, quotes, self._full_score)
        best = _choose(candidates)
        shown = [block for block in turn.blocks if block.source != "aside"]
        if not best and shown:
            spoken = [block for block in shown if block.source in ("user", "assistant")] or shown
            text = spoken[0].text
            start = len(text) - len(text.lstrip())
            best = [_Candidate(0.0, spoken[0], start, passage_end(text, start, start))]
        score = best[0].score / self._full_score if best else 0.0
        return TurnPassages(tuple(map(_passage, best)), frozenset(clauses), score)

    def _is_searched(self, block: SearchedBlock) -> bool:
        return block.source != "aside" if self._sources is None else block.source in self._sources

    def _windows(self, turn: SearchedTurn, chunk: NearestChunk | None, clauses: set[int]) -> list[_Candidate]:
        """The windows with the highest scores; adds the numbers of all clauses that match to `clauses`."""
        windows: list[tuple[float, SearchedBlock, int, int]] = []
        for blocks, limit, budget in (
            (turn.conversation, _MAX_MATCHES, None),
            *([(turn.asides, _MAX_MATCHES, None)] if self._sources is not None and "aside" in self._sources else []),
            (turn.tools, _MAX_TOOL_MATCHES, _TOOL_BUDGET),
        ):
            for block, matches in blocks.matches(self._matcher, limit, budget, needs_match=not clauses):
                if not self._is_searched(block):
                    continue
                clauses.update(match.clause for match in matches)
                for score, start, end in self._densest(matches):
                    score *= _SOURCE_WEIGHTS[block.source]
                    if chunk is not None and _is_in_chunk(chunk, block.seq, start, end):
                        score += _IN_NEAREST_CHUNK * chunk.closeness * self._full_score
                    windows.append((score, block, start, end))
        windows.sort(key=lambda window: -window[0])
        candidates = []
        for score, block, start, end in windows[: 3 * _MAX_PASSAGES]:
            first, last = passage_range(block.text, start, end)
            weight = _CODE_WEIGHT if is_code(block.text[first:last]) else 1.0
            candidates.append(_Candidate(score * weight, block, first, last))
        return candidates

    def _densest(self, matches: Sequence[Match]) -> Iterator[tuple[float, int, int]]:
        """Score, start and end of the windows with the most words, none of which overlap."""
        counts: Counter[int] = Counter()
        """How often each clause matches in the current window."""
        windows: list[tuple[float, int, int]] = []
        last = 0
        for first, match in enumerate(matches):
            while last < len(matches) and (matches[last].end - match.start <= _WINDOW or last <= first):
                counts[matches[last].clause] += 1
                last += 1
            words = sum(self._rarity[clause] for clause, count in counts.items() if count)
            score = words * (_SINGLE_WORD + (1 - _SINGLE_WORD) * words / self._full_score)
            window = matches[first:last]
            end = max(other.end for other in window)
            windows.append((score + 0.1 * _density(window) * score, match.start, end))
            counts[match.clause] -= 1
        chosen: list[tuple[int, int]] = []
        for score, start, end in sorted(windows, key=lambda window: (-window[0], window[1])):
            if all(end <= first or start >= until for first, until in chosen):
                chosen.append((start, max(end, start + MAX_LENGTH // 2)))
                yield score, start, end
                if len(chosen) == _MAX_PASSAGES:
                    return


def _density(matches: Sequence[Match]) -> float:
    """How close the words of a window are to each other, 0 to 1: 1 for a phrase."""
    extent = matches[-1].end - matches[0].start
    length = sum(match.end - match.start for match in matches)
    return min(1.0, length / max(extent, 1))


def _nearest_chunk(
    blocks: Sequence[SearchedBlock], chunk: NearestChunk | None, full_score: float
) -> Iterator[_Candidate]:
    if chunk is None:
        return
    by_seq = {block.seq: block for block in blocks if block.source in ("user", "assistant")}
    # Of its parts the longest: a short end of one block says less than the long beginning of the next.
    for seq, first, last in sorted(chunk.ranges, key=lambda part: part[1] - part[2])[:1]:
        if (block := by_seq.get(seq)) is not None:
            start = sentence_start(block.text, first)
            end = passage_end(block.text, start, min(last, start))
            yield _Candidate(_NEAREST_CHUNK * chunk.closeness * full_score, block, start, end)


def _places_of_file(
    blocks: Sequence[SearchedBlock], file: TouchedFile | None, full_score: float
) -> Iterator[_Candidate]:
    """The calls on a file, and what the user wrote of it; the other places that name it only if there are none."""
    if file is None:
        return
    acting = [
        block for block in blocks if block.source == "tool call" or (block.source == "user" and "mention" in file.tools)
    ]
    for block, position in _find_path(acting, file.path) or _find_path(blocks, file.path):
        weight = _SAME_TOOL if not file.tools or _tool_of(block) in file.tools else _OTHER_TOOL
        start = 0 if position <= MAX_LEAD else sentence_start(block.text, position)
        end = passage_end(block.text, start, position + len(file.path))
        yield _Candidate(weight * file.weight * full_score, block, start, end)


def _places_of_quotes(
    blocks: Sequence[SearchedBlock], quotes: Iterable[tuple[int, str]], full_score: float
) -> Iterator[_Candidate]:
    """Quotes in their blocks: where the words of each are, in order; else the beginning of the block."""
    by_seq = {block.seq: block for block in blocks}
    for seq, quote in quotes:
        if (block := by_seq.get(seq)) is not None and quote:
            found = re.search(r"\s+".join(map(re.escape, clean(quote).rstrip("…").split())), block.text)
            first, last = found.span() if found is not None else (0, 0)
            last = last or passage_end(block.text, 0, 0)
            yield _Candidate(_QUOTE * full_score, block, first, last, is_whole=found is not None)


def _tool_of(block: SearchedBlock) -> str:
    """The tool of a call; `mention` for any other text."""
    return block.text.split(" ", 1)[0] if block.source == "tool call" else "mention"


def _find_path(blocks: Sequence[SearchedBlock], path: str) -> list[tuple[SearchedBlock, int]]:
    """The blocks that contain a path, or its last component if none contains all of it, and where."""
    texts = [(block, fold(block.text.replace("\\", "/"))) for block in blocks]
    for name in dict.fromkeys((fold(path), fold(path.rpartition("/")[2]))):
        positions = [(block, position) for block, text in texts if (position := _path_position(name, text)) >= 0]
        if positions:
            return positions
    return []


def _path_position(path: str, text: str) -> int:
    """The position of a path in a text, alone or as the end of a longer path; -1 if it is not there."""
    position = text.find(path)
    while position >= 0 and (
        _NAME_CHARACTER.fullmatch(text[position - 1 : position])
        or _NAME_CHARACTER.fullmatch(text[position + len(path) :][:1])
    ):
        position = text.find(path, position + 1)
    return position


def _choose(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The best passages, without those that overlap a better one or score far below the best."""
    chosen: list[_Candidate] = []
    for candidate in sorted(candidates, key=_Candidate.order):
        if chosen and candidate.score < _MIN_SHARE * chosen[0].score:
            break
        if not any(candidate.overlaps(better) for better in chosen):
            chosen.append(candidate)
        if len(chosen) == _MAX_PASSAGES:
            break
    return chosen


def _passage(candidate: _Candidate) -> Passage:
    block, first, last = candidate.block, candidate.first, candidate.last
    cut = not candidate.is_whole and is_cut(block.text, last, is_prose=not block.source.startswith("tool"))
    return Passage(block.seq, first, last, block.source, block.text[first:last], cut)


def _is_in_chunk(chunk: NearestChunk, seq: int, start: int, end: int) -> bool:
    return any(number == seq and start < last and end > first for number, first, last in chunk.ranges)
