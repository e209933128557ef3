"""The controller for searches: the query, and how many hits are loaded."""

from __future__ import annotations

from collections.abc import Callable

from memtui.browse.reader import SessionReader
from memtui.browse.results_view import ResultsView
from memtui.browse.scopes import EVERYTHING, Scope
from memtui.services.index_service import IndexService
from memtui.services.live_search import FIRST_HITS, LiveSearch
from memtui.widgets.search_line import SearchLine
from memtui_core.model import SearchResult

MORE_HITS = 4
"""Factor by which the number of hits grows when the cursor is near the end of the list."""


class SearchController:
    """Runs queries and shows their hits.

    `set_searching` shows the hits in the place of the view, or the view again.
    """

    def __init__(
        self,
        index: IndexService,
        line: SearchLine,
        results: ResultsView,
        reader: SessionReader,
        set_searching: Callable[[bool], object],
    ) -> None:
        self._search = LiveSearch(index)
        self._line = line
        self._results = results
        self._reader = reader
        self._set_searching = set_searching
        self._query = ""
        """The query with the filter of the scope; empty if there is none."""
        self._text = ""
        """The query as it was typed."""
        self._scope = EVERYTHING
        self._limit = FIRST_HITS
        self._has_index = False
        self.is_active = False
        """Whether the hits are shown in the place of the view."""

    def index_changed(self) -> None:
        """Search again in a newer snapshot."""
        self._has_index = True
        self.repeat()

    @property
    def has_query(self) -> bool:
        """Whether something is searched, or was found."""
        return bool(self._query)

    @property
    def found_nothing(self) -> bool:
        """Whether the query has no hits."""
        return self.is_active and self._results.is_empty

    def search(self, text: str, scope: Scope, *, lists_all: bool = False) -> None:
        """Search for a text in a scope; an empty text ends the search, or lists all that is in the scope."""
        self._reader.delay_previews()
        self._text, self._scope = text, scope
        self._query = f"{scope.query_filter}{text}" if text.strip() or lists_all else ""
        self._limit = FIRST_HITS
        if self._query:
            self.repeat()
        else:
            self._end()

    def repeat(self) -> None:
        """Run the query again after the index or the number of hits has changed."""
        if self._has_index and self._query:
            self._search.search(self._query, self._limit, self._show)

    def load_more(self, shown: int) -> None:
        """Load more hits than the `shown` ones."""
        self._limit = max(self._limit, shown * MORE_HITS)
        self.repeat()

    def _show(self, result: SearchResult) -> None:
        if result.query != self._query:
            return
        if not self.is_active:
            self.is_active = True
            self._set_searching(True)
        self._line.show_size(result)
        self._results.show(result, self._text, self._scope)

    def _end(self) -> None:
        """Show the view again, and what was read there before the search."""
        self._line.show_size(None)
        if self.is_active:
            self.is_active = False
            self._set_searching(False)
            self._reader.forget(self._results.NAME)
