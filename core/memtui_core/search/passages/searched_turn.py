"""The searched texts of a turn, joined so that one search covers them all, and the bounds of passages in them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, groupby
from typing import NamedTuple

from memtui_core.model import Source
from memtui_core.store.lexicon.matcher import Match, Matcher
from memtui_core.store.lexicon.tokens import fold

MAX_LENGTH = 240
"""Characters of a passage."""
MAX_LEAD = 100
"""Characters before a word in which the start of its sentence is looked for."""
_STARTS = re.compile(r"\n\s*|(?<!\d)[.!?]\s+|[。！？]")
_ENDS = re.compile(r"(?<!\d)[.!?](?=\s)|[。！？]")
_CLOSED = re.compile(r"[.!?:。！？][\"'”’»)\]*_`]*\s*\Z")
_LONGEST_CLOSING = 8
"""Characters of marks, and of what follows them, in which the end of a sentence is looked for."""
_LINE_END = re.compile(r"[^\S\n]*\n")
_PARAGRAPH = re.compile(r"\s*\n\s*\n")
_MIN_PARAGRAPH = MAX_LENGTH // 4
"""Characters of a paragraph that is a passage of its own; a shorter one, such as a heading, is joined with the next."""
_CODE_CHARACTERS = re.compile(r"[{}\[\]();=<>|\\/_*$#@&\"'`~^+]|\d")
_MIN_CODE_SHARE = 0.14
"""Share of symbols and digits from which on a text is code."""


def passage_range(text: str, start: int, end: int) -> tuple[int, int]:
    """The passage around a window: from the start of its sentence or line, if both fit into a passage."""
    first = sentence_start(text, start, max(0, min(MAX_LEAD, MAX_LENGTH - (end - start))))
    return first, passage_end(text, first, end)


def sentence_start(text: str, position: int, lead: int = MAX_LEAD) -> int:
    """The start of the sentence or line at a position, or of a word if it starts more than `lead` characters before."""
    low = max(0, position - lead)
    before = text[low:position]
    starts = [match.end() for match in _STARTS.finditer(before)]
    if starts:
        return low + starts[-1]
    if low == 0:
        return len(before) - len(before.lstrip())
    nearby = max(0, lead - MAX_LENGTH // 4)
    blank = before.find(" ", nearby)
    return low + (blank + 1 if blank >= 0 else nearby)


def passage_end(text: str, first: int, needed: int) -> int:
    """The end of a passage: of its paragraph, the last sentence that fits, or a word; if possible after `needed`."""
    limit = min(len(text), first + MAX_LENGTH)
    paragraph = _PARAGRAPH.search(text, max(needed, first + _MIN_PARAGRAPH), limit)
    if paragraph is not None:
        return paragraph.start()
    if limit == len(text):
        return limit
    ends = [match.end() for match in _ENDS.finditer(text, first, limit + 1) if needed <= match.end() <= limit]
    if ends and ends[-1] - first > MAX_LENGTH // 2:
        return ends[-1]
    blank = max(text.rfind(" ", first, limit), text.rfind("\n", first, limit))
    return blank if blank > max(needed, first + MAX_LENGTH // 2) else limit


def is_cut(text: str, last: int, *, is_prose: bool) -> bool:
    """Whether the sentence, or the line of what is not prose, in which a passage ends goes on behind it."""
    if not text[last:].strip() or _PARAGRAPH.match(text, last):
        return False
    if not is_prose:
        return _LINE_END.match(text, last) is None
    return _CLOSED.search(text, max(0, last - _LONGEST_CLOSING), last) is None


def is_code(text: str) -> bool:
    """Whether a text has more symbols and digits than prose has."""
    return len(_CODE_CHARACTERS.findall(text)) > _MIN_CODE_SHARE * max(len(text), 1)


_SEPARATOR = "\n\n"
_MAX_FOLDED = 200_000
"""Characters that stay folded for the next search; the rest is folded each time."""


class SearchedBlock(NamedTuple):
    """The searched text of a block; see `block_text.searched_text`."""

    seq: int
    """`Block.seq`."""
    source: Source
    text: str


class JoinedBlocks:
    """Blocks that are searched as one text: a turn has many, and most of them are short."""

    def __init__(self, blocks: Sequence[SearchedBlock]) -> None:
        self.blocks = blocks
        self._text = _SEPARATOR.join(block.text for block in blocks)
        self._starts = list(accumulate((len(block.text) + len(_SEPARATOR) for block in blocks), initial=0))

    @property
    def size(self) -> int:
        """Characters of the joined text."""
        return len(self._text)

    @cached_property
    def _folded(self) -> str:
        return fold(self._text[:_MAX_FOLDED])

    def matches(
        self, matcher: Matcher, limit: int, budget: int | None, *, needs_match: bool
    ) -> Iterator[tuple[SearchedBlock, list[Match]]]:
        """The matches in each block, at most `limit` of a clause in one slice of text (`Matcher.scan`).

        The search ends after `budget` characters, or with `needs_match` at the first match after them.
        """
        matches: list[Match] = []
        for end, slice_matches in matcher.scan(self._text, limit, self._folded, self._starts):
            matches += slice_matches
            if budget is not None and end > budget and (matches or not needs_match):
                break
        for index, own in groupby(matches, key=lambda match: bisect_right(self._starts, match.start) - 1):
            start, block = self._starts[index], self.blocks[index]
            inside = [match._replace(start=match.start - start, end=match.end - start) for match in own]
            yield block, [match for match in inside if match.end <= len(block.text)]


class SearchedTurn:
    """The searched texts of a turn: those of its conversation, those only for the model, and those of its tools."""

    def __init__(self, blocks: Iterable[SearchedBlock], *, is_cut: bool = False) -> None:
        self.is_cut = is_cut
        """Whether some texts are only the beginning of their blocks."""
        self.blocks = [block for block in blocks if block.text.strip()]
        parts: dict[str, list[SearchedBlock]] = {"said": [], "aside": [], "tool": []}
        for block in self.blocks:
            kind = block.source.partition(" ")[0]
            parts[kind if kind in parts else "said"].append(block)
        self.conversation, self.asides, self.tools = map(JoinedBlocks, parts.values())

    @property
    def size(self) -> int:
        """Characters of all texts."""
        return self.conversation.size + self.asides.size + self.tools.size
