"""The searched texts of a turn, joined so that they are searched at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, groupby
from typing import NamedTuple

from memtui_core.lexicon.matcher import Match, Matcher
from memtui_core.lexicon.tokens import fold
from memtui_core.model import Source

_BETWEEN = "\n\n"
_FOLDED = 200_000
"""Characters that are kept folded for the next search; more is folded each time."""


class BlockText(NamedTuple):
    """The searched text of a block; see `block_text`."""

    block: int
    """`Block.seq`."""
    source: Source
    text: str


class JoinedTexts:
    """Texts that are searched as one: most are short, and a turn has many."""

    def __init__(self, blocks: Sequence[BlockText]) -> None:
        self.blocks = blocks
        self._text = _BETWEEN.join(one.text for one in blocks)
        self._starts = list(accumulate((len(one.text) + len(_BETWEEN) for one in blocks), initial=0))

    @property
    def size(self) -> int:
        """Characters."""
        return len(self._text)

    @cached_property
    def _folded(self) -> str:
        return fold(self._text[:_FOLDED])

    def matches(
        self, matcher: Matcher, most: int, budget: int | None, *, needed: bool
    ) -> Iterator[tuple[BlockText, list[Match]]]:
        """The matches in each block, at most `most` of a clause in one stretch of text.

        With a budget (characters) no more is searched, unless a match is `needed` and has not come yet.
        """
        matches: list[Match] = []
        for end, some in matcher.chunks(self._text, most, self._folded):
            matches += some
            if budget is not None and end > budget and (matches or not needed):
                break
        for number, own in groupby(matches, key=lambda match: bisect_right(self._starts, match.start) - 1):
            start, one = self._starts[number], self.blocks[number]
            inside = [match._replace(start=match.start - start, end=match.end - start) for match in own]
            yield one, [match for match in inside if match.end <= len(one.text)]


class TurnTexts:
    """The searched texts of a turn."""

    def __init__(self, blocks: Iterable[BlockText], *, cut: bool = False) -> None:
        self.cut = cut
        """Some texts are only the beginning of what the blocks hold."""
        self.blocks = [one for one in blocks if one.text.strip()]
        self.said = JoinedTexts([one for one in self.blocks if not one.source.startswith("tool")])
        self.tools = JoinedTexts([one for one in self.blocks if one.source.startswith("tool")])

    @property
    def size(self) -> int:
        """Characters."""
        return self.said.size + self.tools.size
