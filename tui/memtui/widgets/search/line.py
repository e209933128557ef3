"""The line with the search bar, and at its right end the scope and how much was found there."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len
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
_SEPARATOR: Final = " · "
_TOOLTIP: Final = "Where to search, or what to filter: ctrl+r or a click changes it"


class SearchFacts(Widget):
    """At the right end the scope, the number of hits and the time of a search; the tooltip has the note of that, too.

    A click on the scope goes to the next one.
    """

    scope = reactive(ALL_PROJECTS)
    text = reactive("")

    def __init__(self) -> None:
        super().__init__()
        self.tooltip = _TOOLTIP

    def render(self) -> Content:
        """As much as there is room for; the scope comes first."""
        width = self.content_size.width
        scope = cut(self.scope, min(_MAX_SCOPE, width))
        facts = _SEPARATOR + self.text if self.text else ""
        while facts and cell_len(scope + facts) > width:
            facts = facts.rpartition(_SEPARATOR)[0]
        gap = " " * (width - cell_len(scope + facts))
        return Content.assemble(gap, Content(scope).stylize("@click=next_scope"), facts)

    def action_next_scope(self) -> None:
        """Request the next scope."""
        self.post_message(SearchBar.ScopeRequested())


class SearchLine(Horizontal):
    """One row: a sign that shows the focus, the search bar, and the scope with the facts."""

    DEFAULT_CSS = """
    SearchLine {
        height: 1; padding: 0 1;
        #search-sign { width: 1; margin-right: 1; color: $text-muted; }
        &.-focused #search-sign { color: $text-accent; text-style: bold reverse; }
        SearchBar, SearchBar:focus { width: 1fr; background: transparent; background-tint: transparent; }
        SearchFacts {
            width: 1fr; max-width: 44; height: 1; margin-left: 1; color: $text-muted;
            link-color: $text-muted; link-style: none; link-background-hover: transparent; link-style-hover: underline;
        }
        &.-focused SearchFacts { link-color: $text-accent; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="search-line")
        self.bar = SearchBar()
        self.facts = SearchFacts()

    def compose(self) -> ComposeResult:
        """The sign, the bar and the facts."""
        yield Static("/", id="search-sign", markup=False)
        yield self.bar
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
            self.facts.text, self.facts.tooltip = "", _TOOLTIP
            return
        count = len(result.hits)
        hits = f"{number(count)}+ hits" if result.more else plural(count, "hit")
        self.facts.text = f"{hits} · {result.elapsed_ms:.0f} ms"
        self.facts.tooltip = Content(" · ".join(filter(None, (self.facts.text, result.note))))
