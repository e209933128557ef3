"""The hits of a search, three lines each: where, the passage that answers, and why it was found."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from memtui import clock
from memtui.formatting import age
from memtui.widgets.row_list import Row, RowList
from memtui_core.model import Hit, SearchResult, Span

_NEAR = 10
"""Hits from the end at which more are asked for."""


class HitList(RowList):
    """Best hit first."""

    HELP: ClassVar[str] = """\
## Hits

The turns that answer, the best one of each session; `+3 more` says how many others it has, and `space` lists them.
`enter` opens the hit at its best passage, which a bar marks at the left; `n` and `N` go to its other passages and on to
the next hit. `esc` goes back to the query, and once more to the sessions.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "unfold", "More", tooltip="Show or hide the other hits of the session", id="hits.unfold"),
        Binding("h,left", "unfold(False)", "Fold", tooltip="Hide the others again", show=False, id="hits.fold"),
    ]

    @dataclass
    class Chosen(Message):
        """A hit is to be shown; `read` when the person wants to go there."""

        hit: Hit
        words: tuple[str, ...]
        prefix: bool
        read: bool

    @dataclass
    class MoreRequested(Message):
        """The cursor comes near the end of the hits, and there are more."""

        shown: int

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.result: SearchResult | None = None
        self._listed: list[_Listed] = []
        self._unfolded: set[int] = set()
        """Groups, by `Hit.group`, whose other hits are shown too."""

    def show(self, result: SearchResult) -> None:
        """Show the answer to a query; a newer answer to the same one leaves the cursor on its hit."""
        before, self.result = self.result, result
        if before is None or before.query != result.query:
            self._unfolded.clear()
            self.fill()
        elif before.hits != result.hits:
            self.fill(self.chosen)

    def rows(self, width: int) -> list[Row]:
        """Three lines a hit."""
        now = clock.now()
        self._listed = _listed(self.result.hits if self.result is not None else (), self._unfolded)
        return [Row(_place(one.hit), _content(one, now, width)) for one in self._listed]

    def action_unfold(self, unfold: bool | None = None) -> None:
        """Show or hide the other hits of the chosen one's session; hidden, the cursor is on the best one."""
        if self.highlighted is None:
            return
        group = self._listed[self.highlighted].hit.group
        shown = group not in self._unfolded if unfold is None else unfold
        if shown != (group in self._unfolded):
            self._unfolded ^= {group}
            best = next(one.hit for one in self._listed if one.hit.group == group)
            self.fill(self.chosen if shown else _place(best))

    def choose(self, index: int, *, read: bool) -> None:
        """Show the hit, and ask for more near the end."""
        if self.result is None:
            return
        self.post_message(self.Chosen(self._listed[index].hit, self.result.words, self.result.prefix, read))
        # Not while the query is typed: the first hits are chosen by themselves.
        if self.result.more and index and index >= len(self._listed) - _NEAR:
            self.post_message(self.MoreRequested(len(self.result.hits)))


@dataclass(frozen=True, slots=True)
class _Listed:
    """A hit as it is listed."""

    hit: Hit
    more: int = 0
    """Other hits of its session that are not listed."""
    below: bool = False
    """It is one of those others."""


def _listed(hits: Sequence[Hit], unfolded: Collection[int]) -> list[_Listed]:
    if not hits:
        return []
    from memtui_core.search.hits import group_hits

    rows = []
    for group in group_hits(hits):
        shown = group.best.group in unfolded
        rows.append(_Listed(group.best, 0 if shown else len(group.others)))
        rows += [_Listed(hit, below=True) for hit in group.others if shown]
    return rows


def _place(hit: Hit) -> tuple[int, int]:
    return hit.session, hit.turn


def _content(row: _Listed, now: datetime, width: int) -> Content:
    hit = row.hit
    facts = " · ".join(filter(None, [hit.project, age(hit.started_at, now)]))
    more = f"  +{row.more} more" if row.more else ""
    head = Content.assemble((hit.title, "bold"), (more, "$text-accent"), (f"  {facts}", "dim"))
    if row.below:
        facts = " · ".join(filter(None, [f"turn {hit.turn}", age(hit.started_at, now)]))
        head = Content.assemble(("  └ ", "dim"), (facts, "dim"))
        width -= 4
    text, spans = excerpt(hit.snippet, hit.spans, width)
    snippet = Content(text)
    for span in spans:
        snippet = snippet.stylize("bold underline $text-accent", span.start, span.end)
    lead = "    " if row.below else ""
    return Content("\n").join([head, Content(lead) + snippet, Content.styled(lead + " · ".join(hit.why), "dim")])


def excerpt(text: str, spans: Sequence[Span], width: int) -> tuple[str, list[Span]]:
    """A part of a snippet that fits in `width` cells with its first match in sight, and the matches in it.

    What is cut off before ends at a blank where there is one, so that the line begins with a whole word.
    """
    first = spans[0] if spans else Span(0, 0)
    if cell_len(text[: first.end]) <= width:
        return text, list(spans)
    start = first.start
    while start > 0 and cell_len(text[start - 1 : first.start]) < width // 3:
        start -= 1
    if start > 0 and not text[start - 1].isspace():
        blank = text.find(" ", start, first.start)
        start = blank + 1 if blank >= 0 else start
    cut = "…" + text[start:].lstrip()
    moved = start + len(text[start:]) - len(text[start:].lstrip()) - 1
    return cut, [Span(span.start - moved, span.end - moved) for span in spans if span.start > moved]
