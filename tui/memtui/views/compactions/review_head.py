"""The head of a review: the compaction in words, and the session as a band with the part that it replaced."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol

from rich.cells import cell_len
from textual.content import Content

from memtui.system import clock
from memtui.views.compactions.kinds import missing_facts, without_summary
from memtui.wording.formatting import date_and_year, day_and_month, number, ordinal, time_of_day, tokens
from memtui_core.model import Turn
from memtui_core.text.token_estimate import estimated_tokens

if TYPE_CHECKING:
    from memtui_core.index.compactions import Review

_REPLACED, _OTHER, _BOUNDARY = "█", "─", "⧉"
_LEAST_BAR: Final = 12
"""Cells of the bar from which the sizes stand beside it."""


def headline(review: Review) -> str:
    """The compaction in one sentence: when, which turns, how much became how much, and what is missing."""
    facts = [
        ordinal_of(review),
        when(review.at),
        turn_span(review.first_turn, review.last_turn),
        f"{before_after(review.tokens_before, len(review.summary))} tokens",
    ]
    return " · ".join(filter(None, [*facts, missing_facts(review)]))


def boundary_facts(review: Review) -> list[str]:
    """What is known of a compaction without a summary to read, line by line."""
    tokens_before = f"{tokens(review.tokens_before)} tokens before" if review.tokens_before else ""
    facts = [ordinal_of(review), when(review.at), turn_span(review.first_turn, review.last_turn), tokens_before]
    return [" · ".join(filter(None, facts)), without_summary(review)]


class Numbered(Protocol):
    """A compaction of a session that may have several."""

    @property
    def number(self) -> int:
        """Its number, from 1."""
        ...

    @property
    def count(self) -> int:
        """How many the session has."""
        ...


def ordinal_of(compaction: Numbered) -> str:
    """Which one of a session it is: `2nd of 4`; empty if it is the only one."""
    return f"{ordinal(compaction.number)} of {number(compaction.count)}" if compaction.count > 1 else ""


def title_mark(compaction: Numbered) -> str:
    """What follows the title of the session: ` · 2nd of 4`; empty for the only one."""
    return f" · {which}" if (which := ordinal_of(compaction)) else ""


def when(at: datetime | None) -> str:
    """The local date and time: `8 Aug 17:36`, in another year only the date: `8 Aug 2025`; empty for None."""
    if at is None:
        return ""
    local = at.astimezone()
    is_this_year = local.year == clock.now().astimezone().year
    return f"{day_and_month(local)} {time_of_day(at)}" if is_this_year else date_and_year(local)


def turn_span(first: int | None, last: int | None) -> str:
    """The replaced turns: `turns 14–15`; without any, the session begins with the summary of what was before."""
    if first is None or last is None:
        return "before turn 1"
    return f"turn {first}" if first == last else f"turns {first}–{last}"


def before_after(tokens_before: int | None, characters: int) -> str:
    """The tokens before, and about how many the summary has: `167k → about 4.7k`."""
    after = f"about {tokens(estimated_tokens(characters))}"
    return f"{tokens(tokens_before)} → {after}" if tokens_before else after


def band(review: Review, turns: Sequence[Turn], width: int) -> Content:
    """The session on one line: its first and last turn, the boundaries, the replaced part, and the sizes."""
    if not turns:
        return Content("")
    first, last = turns[0].number, turns[-1].number
    left, right = f"{first} ", f" {last}"
    tail = f"  {before_after(review.tokens_before, len(review.summary))} tokens"
    cells = width - cell_len(left) - cell_len(right)
    if cells - cell_len(tail) < _LEAST_BAR:
        tail = ""
    bar = _bar(
        review, [turn.number for turn in turns if turn.kind == "compaction"], first, last, cells - cell_len(tail)
    )
    parts = [(character, _style(character)) for character in bar]
    return Content.assemble((left, "dim"), *parts, (right, "dim"), (tail, "dim"))


def _bar(review: Review, boundaries: Sequence[int], first: int, last: int, cells: int) -> str:
    """The turns from first to last in some cells; the replaced ones have at least one."""
    cells = max(1, cells)
    count = last - first + 1

    def cell(turn: int) -> int:
        return min(cells - 1, (turn - first) * cells // count)

    bar = [_OTHER] * cells
    for boundary in boundaries:
        if boundary > first:
            bar[cell(boundary)] = _BOUNDARY
    if review.first_turn is not None and review.last_turn is not None:
        start = cell(review.first_turn)
        end = max(start, cell(review.last_turn + 1) - 1 if review.last_turn < last else cells - 1)
        # The boundary before the replaced turns stays visible if there is room for both.
        start += bar[start] == _BOUNDARY and end > start
        bar[start : end + 1] = _REPLACED * (end + 1 - start)
    return "".join(bar)


def _style(character: str) -> str:
    return {_REPLACED: "$text-warning", _BOUNDARY: "$text-secondary"}.get(character, "dim")
