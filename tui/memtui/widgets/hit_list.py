"""The hits of a search, two lines each: where, and the words that matched in their place."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from memtui import moment
from memtui.present import age
from memtui_core.model import Hit, SearchResult, Span

_NEAR = 10
"""Hits from the end at which more are asked for."""


class HitList(OptionList):
    """Best hit first."""

    HELP: ClassVar[str] = """\
## Hits

The turns that answer, the best one of each session; `+3 more` says how many others it has, and `space` lists them.
`enter` opens the hit at its turn with its words marked; `esc` goes back to the query, and once more to the sessions.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", tooltip="To the next hit", show=False, id="hits.down"),
        Binding("k", "cursor_up", "Up", tooltip="To the hit before", show=False, id="hits.up"),
        Binding("g", "first", "Top", tooltip="To the best hit", show=False, id="hits.top"),
        Binding("G", "last", "End", tooltip="To the last hit", show=False, id="hits.bottom"),
        Binding("space", "unfold", "More", tooltip="Show or hide the other hits of the session", id="hits.unfold"),
        Binding("h,left", "unfold(False)", "Fold", tooltip="Hide the others again", show=False, id="hits.fold"),
        Binding("enter,l,right", "select", "Read", tooltip="Read the turn", id="hits.select"),
    ]

    @dataclass
    class Chosen(Message):
        """A hit is to be shown; `read` when the person wants to go there."""

        hit: Hit
        words: tuple[str, ...]
        read: bool

    @dataclass
    class MoreWanted(Message):
        """The cursor comes near the end of the hits, and there are more."""

        shown: int

    @dataclass
    class LeftAtTop(Message):
        """The cursor went up from the first hit."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, markup=False)
        self.result: SearchResult | None = None
        self._rows: list[_Row] = []
        self._unfolded: set[int] = set()
        """Groups, by `Hit.alike`, whose other hits are shown too."""
        self._filled = 0
        """Width for which the hits were drawn."""

    def show(self, result: SearchResult) -> None:
        """Show the answer to a query; a newer answer to the same one leaves the cursor on its hit."""
        before, self.result = self.result, result
        if before is None or before.query != result.query:
            self._unfolded.clear()
            self._fill(None)
        elif before.hits != result.hits:
            self._fill(self._chosen)

    @property
    def _chosen(self) -> Hit | None:
        return self._rows[self.highlighted].hit if self.highlighted is not None else None

    def _fill(self, chosen: Hit | None) -> None:
        """List the hits with the cursor on the one chosen, else on the first."""
        self._rows = _rows(self.result.hits if self.result is not None else (), self._unfolded)
        self._filled = self._width
        now, width, scrolled = moment.now(), self._filled, self.scroll_y
        with self.prevent(OptionList.OptionHighlighted):
            self.set_options([Option(_content(row, now, width)) for row in self._rows])
        if not self._rows:
            return
        places = [_place(row.hit) for row in self._rows]
        if chosen is None or _place(chosen) not in places:
            self.highlighted = 0
            return
        with self.prevent(OptionList.OptionHighlighted):
            self.highlighted = places.index(_place(chosen))
        self.scroll_to(y=scrolled, animate=False, force=True)

    def action_unfold(self, unfold: bool | None = None) -> None:
        """Show or hide the other hits of the chosen one's session; hidden, the cursor is on the best one."""
        if self.highlighted is None:
            return
        group = self._rows[self.highlighted].hit.alike
        shown = group not in self._unfolded if unfold is None else unfold
        if shown == (group in self._unfolded):
            return
        self._unfolded ^= {group}
        best = next(row.hit for row in self._rows if row.hit.alike == group)
        self._fill(self._chosen if shown else best)

    @property
    def _width(self) -> int:
        return max(20, self.scrollable_content_region.width - 2)

    def on_resize(self, event: events.Resize) -> None:
        """Cut the snippets for the new width."""
        if self.highlighted is not None and self._width != self._filled:
            self._fill(self._chosen)

    def on_click(self, event: events.Click) -> None:
        """A click chooses a hit, a double click opens it."""
        event.prevent_default()
        index = event.style.meta.get("option")
        if index is not None:
            self.highlighted = index
            if event.chain == 2:
                self.action_select()

    def step(self, count: int) -> None:
        """Move the cursor by some hits, while the focus is elsewhere."""
        if self.option_count and self.highlighted is not None:
            self.highlighted = max(0, min(self.highlighted + count, self.option_count - 1))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Preview the hit."""
        event.stop()
        self._choose(event.option_index, read=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go to the hit."""
        event.stop()
        self._choose(event.option_index, read=True)

    def choose(self) -> None:
        """Go to the highlighted hit."""
        if self.highlighted is not None:
            self._choose(self.highlighted, read=True)

    def _choose(self, index: int, *, read: bool) -> None:
        if self.result is None or index >= len(self._rows):
            return
        self.post_message(self.Chosen(self._rows[index].hit, self.result.words, read))
        # Not while the query is typed: the first hits are chosen by themselves.
        if self.result.more and index and index >= len(self._rows) - _NEAR:
            self.post_message(self.MoreWanted(len(self.result.hits)))

    def action_cursor_up(self) -> None:
        """One hit up; from the first one back to the query."""
        if self.highlighted in {0, None}:
            self.post_message(self.LeftAtTop())
        else:
            super().action_cursor_up()


def _place(hit: Hit) -> tuple[int, int]:
    return hit.session, hit.turn


@dataclass(frozen=True, slots=True)
class _Row:
    """A hit as it is listed."""

    hit: Hit
    more: int = 0
    """Other hits of its session that are not listed."""
    below: bool = False
    """It is one of those others."""


def _rows(hits: Sequence[Hit], unfolded: Collection[int]) -> list[_Row]:
    if not hits:
        return []
    from memtui_core.hits import grouped

    rows = []
    for group in grouped(hits):
        shown = group.best.alike in unfolded
        rows.append(_Row(group.best, 0 if shown else len(group.others)))
        rows += [_Row(hit, below=True) for hit in group.others if shown]
    return rows


def _content(row: _Row, now: datetime, width: int) -> Content:
    hit = row.hit
    facts = " · ".join(filter(None, [hit.project, age(hit.started_at, now), ", ".join(hit.why)]))
    more = f"  +{row.more} more" if row.more else ""
    head = Content.assemble((hit.title, "bold"), (more, "$text-accent"), (f"  {facts}", "dim"))
    if row.below:
        facts = " · ".join(filter(None, [f"turn {hit.turn}", age(hit.started_at, now), ", ".join(hit.why)]))
        head = Content.assemble(("  └ ", "dim"), (facts, "dim"))
        width -= 4
    text, spans = excerpt(hit.snippet, hit.spans, width)
    snippet = Content(text)
    for span in spans:
        snippet = snippet.stylize("bold underline $text-accent", span.start, span.end)
    return Content("\n").join([head, Content("    ") + snippet if row.below else snippet])


def excerpt(text: str, spans: Sequence[Span], width: int) -> tuple[str, list[Span]]:
    """A part of a snippet that fits in `width` cells with its first match in sight, and the matches in it."""
    first = spans[0] if spans else Span(0, 0)
    if cell_len(text[: first.end]) <= width:
        return text, list(spans)
    start = first.start
    while start > 0 and cell_len(text[start - 1 : first.start]) < width // 3:
        start -= 1
    cut = "…" + text[start:].lstrip()
    moved = start + len(text[start:]) - len(text[start:].lstrip()) - 1
    return cut, [Span(span.start - moved, span.end - moved) for span in spans if span.start > moved]
