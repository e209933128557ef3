"""The line with the search bar, the scope beside it, and how much was found at its right end."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from memtui.widgets.search.bar import SearchBar
from memtui.widgets.search.words import ALL_PROJECTS
from memtui.wording.formatting import cut, number, plural
from memtui_core.model import SearchResult

_MAX_SCOPE = 24
"""Cells of the longest name of a scope."""


class ScopeChip(Static):
    """The name of the scope; a click goes to the next scope."""

    scope = reactive(ALL_PROJECTS)

    def __init__(self) -> None:
        super().__init__(markup=False)
        self.tooltip = "Where to search, or what to filter: ctrl+r changes it"

    def render(self) -> Content:
        """The name in brackets."""
        return Content(f"[{cut(self.scope, _MAX_SCOPE)}]")

    def watch_scope(self) -> None:
        """Take the width of the name."""
        self.refresh(layout=True)

    def on_click(self, event: events.Click) -> None:
        """Request the next scope."""
        event.stop()
        self.post_message(SearchBar.ScopeRequested())


class SearchFacts(Widget):
    """The number of hits and the time of a search, as far as there is room; the tooltip has its note too."""

    text = reactive("")

    def render(self) -> Content:
        """The text at the right end."""
        text = cut(self.text, self.content_size.width)
        return Content(text.rjust(self.content_size.width))


class SearchLine(Horizontal):
    """One row: a sign that shows the focus, the search bar, the scope and the facts."""

    DEFAULT_CSS = """
    SearchLine {
        height: 1; padding: 0 1;
        #search-sign { width: 1; margin-right: 1; color: $text-muted; }
        &.-focused #search-sign { color: $text-accent; text-style: bold reverse; }
        SearchBar, SearchBar:focus { width: 2fr; background: transparent; background-tint: transparent; }
        ScopeChip { width: auto; height: 1; margin: 0 1; color: $text-muted; pointer: pointer; }
        ScopeChip:hover { text-style: underline; color: $text; }
        &.-focused ScopeChip { color: $text-accent; }
        SearchFacts { width: 1fr; height: 1; color: $text-muted; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="search-line")
        self.bar = SearchBar()
        self.chip = ScopeChip()
        self.facts = SearchFacts()

    def compose(self) -> ComposeResult:
        """The sign, the bar, the scope and the facts."""
        yield Static("/", id="search-sign", markup=False)
        yield self.bar
        yield self.chip
        yield self.facts

    def on_descendant_focus(self) -> None:
        """Show the focus."""
        self.add_class("-focused")

    def on_descendant_blur(self) -> None:
        """Show that the focus is elsewhere."""
        self.remove_class("-focused")

    def show_size(self, result: SearchResult | None) -> None:
        """Show the number of hits and the time that the search took; None shows nothing."""
        if result is None:
            self.facts.text, self.facts.tooltip = "", None
            return
        count = len(result.hits)
        hits = f"{number(count)}+ hits" if result.more else plural(count, "hit")
        self.facts.text = f"{hits} · {result.elapsed_ms:.0f} ms"
        self.facts.tooltip = Content(" · ".join(filter(None, (self.facts.text, result.note))))
