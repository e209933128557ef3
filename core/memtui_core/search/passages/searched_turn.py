"""The searched texts of a turn, joined so that one search covers them all."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, groupby
from typing import NamedTuple

from memtui_core.model import Source
from memtui_core.store.lexicon.matcher import Match, Matcher
from memtui_core.store.lexicon.tokens import fold

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
        for end, slice_matches in matcher.scan(self._text, limit, self._folded):
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
