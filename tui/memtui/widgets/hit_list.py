"""The hits of a search, two lines each: where, and the words that matched in their place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from memtui.present import age
from memtui_core.model import Hit, SearchResult


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
    COMPONENT_CLASSES: ClassVar[set[str]] = {"hit-list--match", "hit-list--muted"}

    @dataclass
    class Chosen(Message):
        """A hit is to be shown; `read` when the person wants to go there."""

        hit: Hit
        words: tuple[str, ...]
        read: bool

    @dataclass
    class LeftAtTop(Message):
        """The cursor went up from the first hit."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, markup=False)
        self.result: SearchResult | None = None

    def show(self, result: SearchResult) -> None:
        """Show the answer to a query."""
        self.result = result
        now = datetime.now(UTC)
        self.set_options([Option(_content(hit, now), id=str(hit.turn_id)) for hit in result.hits])
        if result.hits:
            self.highlighted = 0
        self.border_subtitle = ""

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

    def action_cursor_up(self) -> None:
        """One hit up; from the first one back to the query."""
        if self.highlighted in {0, None}:
            self.post_message(self.LeftAtTop())
        else:
            super().action_cursor_up()


def _content(hit: Hit, now: datetime) -> Content:
    parts = [hit.project, age(hit.started_at, now), ", ".join(hit.why)]
    head = Content.assemble((hit.title, "bold"), ("  " + " · ".join(filter(None, parts)), "$text-muted"))
    snippet = Content(hit.snippet)
    for span in hit.spans:
        snippet = snippet.stylize("bold underline $text-accent", span.start, span.end)
    return Content("\n").join([head, snippet])
