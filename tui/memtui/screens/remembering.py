"""The searches that are remembered: which become so, and the ways back to them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from textual import events, on
from textual.command import DiscoveryHit, Hit, Hits, Provider

from memtui.app_state import AppState
from memtui.screens.views import ViewsScreen
from memtui.services.preload import IndexPreload
from memtui.widgets.hit_list import HitList
from memtui.widgets.saved_searches import SearchPicker
from memtui.widgets.search_bar import SearchBar

_SAVED = "A saved search"


class SavedSearches(Provider):
    """The palette: every saved search."""

    async def startup(self) -> None:
        """Take in those that another app has saved."""
        if isinstance(self.screen, RememberingScreen):
            self.screen.remembered.refresh()

    async def discover(self) -> Hits:
        """All of them, while nothing is typed."""
        for title, query, search in self._saved():
            yield DiscoveryHit(title, search, help=query)

    async def search(self, query: str) -> Hits:
        """Those that match."""
        matcher = self.matcher(query)
        for title, text, search in self._saved():
            if score := matcher.match(title):
                yield Hit(score, matcher.highlight(title), search, help=text)

    def _saved(self) -> Iterator[tuple[str, str, partial[None]]]:
        screen = self.screen
        if isinstance(screen, RememberingScreen):
            for name, query in screen.remembered.saved.items():
                yield f"Search: {name}", query if query != name else _SAVED, partial(screen.search_for, query)


class RememberingScreen(ViewsScreen):
    """Owns what is remembered from one run to the next."""

    COMMANDS = {SavedSearches}  # noqa: RUF012

    def __init__(self, data_dir: Path, opening: IndexPreload | None = None) -> None:
        super().__init__(data_dir, opening)
        self.remembered = AppState(data_dir)

    def on_mount(self) -> None:
        """The bar knows the queries from the start: no key waits for the disk."""
        self._tell_bar()

    def search_for(self, query: str) -> None:
        """Search a query, with the cursor behind it."""
        bar = self.query_one(SearchBar)
        bar.put(query)
        self.go_to(bar)

    def _tell_bar(self) -> None:
        self.query_one(SearchBar).queries = self.remembered.queries

    @on(events.DescendantFocus, "#hits")
    @on(HitList.Chosen)
    def _remember_search(self, event: events.DescendantFocus | HitList.Chosen) -> None:
        """A query counts when it led somewhere: the person went to its hits, or to one of them."""
        previewed = isinstance(event, HitList.Chosen) and not event.read
        query = self.query_one(SearchBar).value
        if not previewed and query.strip() and self.query_one(HitList).option_count:
            self.remembered.add(query)
            self._tell_bar()

    @on(SearchBar.SaveRequested)
    def _save_wanted(self, message: SearchBar.SaveRequested) -> None:
        saved = self.remembered.toggle(message.text)
        self._tell_bar()
        title = "Search saved: ↓ in the empty bar lists it" if saved else "Search no longer saved"
        self.notify(message.text.strip(), title=title, markup=False)

    @on(SearchBar.ListRequested)
    def _list_wanted(self) -> None:
        self.remembered.refresh()
        self.app.push_screen(SearchPicker(self.remembered), self._picked)

    def _picked(self, query: str | None) -> None:
        self._tell_bar()
        if query is not None:
            self.search_for(query)
