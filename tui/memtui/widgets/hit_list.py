"""The hits of a search, two lines each: where, and the words that matched in their place."""

from __future__ import annotations

from collections.abc import Sequence
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

The turns that answer, the best first. `enter` opens the hit at its turn with its words marked; `esc` goes back to the
query, and once more to the sessions.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", tooltip="To the next hit", show=False, id="hits.down"),
        Binding("k", "cursor_up", "Up", tooltip="To the hit before", show=False, id="hits.up"),
        Binding("g", "first", "Top", tooltip="To the best hit", show=False, id="hits.top"),
        Binding("G", "last", "End", tooltip="To the last hit", show=False, id="hits.bottom"),
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
        self._filled = 0
        """Width for which the hits were drawn."""

    def show(self, result: SearchResult) -> None:
        """Show the answer to a query; a newer answer to the same one leaves the cursor on its hit."""
        before, self.result = self.result, result
        if before is None or before.query != result.query:
            self._fill(None)
        elif before.hits != result.hits:
            chosen = self.highlighted
            self._fill(before.hits[chosen] if chosen is not None else None)

    def _fill(self, chosen: Hit | None) -> None:
        """List the hits with the cursor on the one chosen, else on the first."""
        hits = self.result.hits if self.result is not None else ()
        self._filled = self._width
        now, width, scrolled = moment.now(), self._filled, self.scroll_y
        with self.prevent(OptionList.OptionHighlighted):
            self.set_options([Option(_content(hit, now, width)) for hit in hits])
        if not hits:
            return
        kept = next((i for i, hit in enumerate(hits) if chosen is not None and _place(hit) == _place(chosen)), None)
        if kept is None:
            self.highlighted = 0
            return
        with self.prevent(OptionList.OptionHighlighted):
            self.highlighted = kept
        self.scroll_to(y=scrolled, animate=False, force=True)

    @property
    def _width(self) -> int:
        return max(20, self.scrollable_content_region.width - 2)

    def on_resize(self, event: events.Resize) -> None:
        """Cut the snippets for the new width."""
        if self.result is not None and self.highlighted is not None and self._width != self._filled:
            self._fill(self.result.hits[self.highlighted])

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
        if self.result is not None and index < len(self.result.hits):
            self.post_message(self.Chosen(self.result.hits[index], self.result.words, read))
            if self.result.more and index >= len(self.result.hits) - _NEAR:
                self.post_message(self.MoreWanted(len(self.result.hits)))

    def action_cursor_up(self) -> None:
        """One hit up; from the first one back to the query."""
        if self.highlighted in {0, None}:
            self.post_message(self.LeftAtTop())
        else:
            super().action_cursor_up()


def _place(hit: Hit) -> tuple[int, int]:
    return hit.session, hit.turn


def _content(hit: Hit, now: datetime, width: int) -> Content:
    facts = " · ".join(filter(None, [hit.project, age(hit.started_at, now), ", ".join(hit.why)]))
    head = Content.assemble((hit.title, "bold"), (f"  {facts}", "dim"))
    text, spans = excerpt(hit.snippet, hit.spans, width)
    snippet = Content(text)
    for span in spans:
        snippet = snippet.stylize("bold underline $text-accent", span.start, span.end)
    return Content("\n").join([head, snippet])


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
