"""Recent and saved searches: storing them, and offering them in the search bar and in the palette."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from textual import events
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen

from memtui.browse.controllers import handles
from memtui.browse.search.results_view import ResultsView
from memtui.browse.search.searches_view import SearchList
from memtui.settings.app_state import AppState
from memtui.views.base import View
from memtui.widgets.search.bar import SearchBar

_SAVED = "A saved search"


class SavedSearches:
    """The controller for recent and saved searches; `search_for` starts a search for a query."""

    def __init__(
        self,
        screen: Screen[None],
        state: AppState,
        bar: SearchBar,
        results: ResultsView,
        search_for: Callable[[str], object],
    ) -> None:
        self._screen = screen
        self._bar = bar
        self._results = results
        self.state = state
        self.search_for = search_for
        # Now, so that no key has to wait for the disk.
        self.update_bar()

    @handles(View.TurnRequested)
    def turn_requested(self, message: View.TurnRequested) -> None:
        """Add the query to the recent searches when one of its hits is read."""
        if message.read and message.view is self._results:
            self.add_recent()

    @handles(events.DescendantFocus)
    def focus_moved(self, event: events.DescendantFocus) -> None:
        """Add the query to the recent searches when the user goes to its hits."""
        if event.widget is self._results.hits:
            self.add_recent()

    def add_recent(self) -> None:
        """Add the query in the search bar to the recent searches, if it has hits."""
        query = self._bar.value
        if query.strip() and self._results.hits.option_count:
            self.state.add(query)
            self.update_bar()

    @handles(SearchBar.SaveRequested)
    def toggle(self, message: SearchBar.SaveRequested) -> None:
        """Save a query, or remove it from the saved searches."""
        query = message.text
        saved = self.state.toggle(query)
        self.update_bar()
        title = "Search saved: the empty search line lists it" if saved else "Search removed from the saved ones"
        self._screen.notify(query.strip(), title=title, markup=False)

    @handles(SearchList.Changed)
    def update_bar(self) -> None:
        """Let the search bar go back through what is stored now."""
        self._bar.queries = self.state.queries


class SavedSearchProvider(Provider):
    """The palette: every saved search of a screen that has `saved_searches`."""

    @property
    def _searches(self) -> SavedSearches | None:
        return getattr(self.screen, "saved_searches", None)

    async def startup(self) -> None:
        """Read what another app has saved."""
        if self._searches is not None:
            self._searches.state.refresh()

    async def discover(self) -> Hits:
        """All saved searches, while nothing is typed."""
        for title, query, search in self._saved():
            yield DiscoveryHit(_row(Content(title), query), search, text=title)

    async def search(self, query: str) -> Hits:
        """The saved searches that match what is typed."""
        matcher = self.matcher(query)
        for title, text, search in self._saved():
            score, offsets = matcher.fuzzy_search.match(query, title)
            if score:
                name = Content(title)
                for offset in offsets:
                    name = name.stylize(matcher.match_style, offset, offset + 1)
                yield Hit(score, _row(name, text), search, text=title)

    def _saved(self) -> Iterator[tuple[str, str, partial[object]]]:
        searches = self._searches
        if searches is not None:
            for name, query in searches.state.saved.items():
                help_text = query if query != name else _SAVED
                yield f"Search: {name}", help_text, partial(searches.search_for, query)


def _row(title: Content, help_text: str) -> Content:
    """A title and the line below it; Textual would take brackets in a `help` or a plain title for markup."""
    return Content.assemble(title, "\n", (help_text, "dim not bold"))
