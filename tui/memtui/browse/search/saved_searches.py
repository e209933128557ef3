"""Recent and saved searches: storing them, and offering them in the search bar and in the palette."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.screen import Screen

from memtui.browse.controllers import handles
from memtui.browse.search.results_view import ResultsView
from memtui.browse.search.searches_view import SearchList
from memtui.keys.actions import Action
from memtui.keys.declarations import Key
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

    def action_search_for(self, query: str) -> None:
        """Search for a query, as if it were typed."""
        self.search_for(query)

    def actions(self) -> list[Action]:
        """An action for each saved search, with what another app has saved."""
        self.state.refresh()
        keys = (
            Key("", f"search_for({query!r})", f"Search: {name}", query if query != name else _SAVED, f"saved {query}")
            for name, query in self.state.saved.items()
        )
        return [Action(key, self._screen) for key in keys]
