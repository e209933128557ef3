"""The controller for the search line: whether its text searches or filters the list of the view, and where."""

from __future__ import annotations

from collections.abc import Callable

from textual.widget import Widget
from textual.widgets import Input

from memtui.browse.reader import SessionReader
from memtui.browse.scopes import EVERYTHING, Scope, list_scope, scopes_of
from memtui.browse.search import SearchController
from memtui.browse.searches_view import SearchesView
from memtui.views.base import View
from memtui.widgets.search_line import SearchLine


class SearchLineController:
    """Connects the search line with the search and with the filters of the views.

    Each view keeps its own filter. `view` returns the chosen view; `frame` is called when the saved searches replace
    the list, or no longer.
    """

    def __init__(
        self,
        line: SearchLine,
        search: SearchController,
        searches: SearchesView,
        reader: SessionReader,
        view: Callable[[], View],
        frame: Callable[[], object],
    ) -> None:
        self._line = line
        self._search = search
        self._searches = searches
        self._reader = reader
        self._view = view
        self._frame = frame
        self._scope = EVERYTHING
        self._is_entered = False
        """Whether the line, or the list of the saved searches, has the focus."""
        self.shows_searches = False
        """Whether the saved searches are listed in the place of the view or the hits."""

    @property
    def is_filter(self) -> bool:
        """Whether the text filters the list of the view."""
        return self._scope.is_list

    def show_filter(self) -> None:
        """Show the filter of the chosen view; without one the line is empty."""
        view = self._view()
        filters = bool(view.ITEMS) and (bool(view.filter_text) or view.filters_first)
        self._put(view.filter_text)
        self._take(list_scope(view) if filters else EVERYTHING)

    def enter(self) -> Widget:
        """Prepare the line for a new text, unless it has one; return its bar, to focus it."""
        if not self._line.bar.value:
            self.show_filter()
        return self._line.bar

    def search_for(self, query: str) -> Widget:
        """Search for a query for which something outside the line has asked; return the bar, to focus it."""
        if self.is_filter:
            self._take(EVERYTHING)
        self._line.bar.request(query)
        return self._line.bar

    def typed(self, text: str) -> None:
        """Filter the list, or search."""
        self._apply(text)
        self.update_searches()

    def _apply(self, text: str) -> None:
        if self.is_filter:
            self._reader.delay_previews()
            self._view().filter_text = text
        else:
            self._search.search(text, self._scope.query_filter)

    def change_scope(self, *, everything: bool = False) -> None:
        """Go to the next scope, or search everything; the text now searches or filters there."""
        scopes = scopes_of(self._reader.session, self._view())
        kinds = [scope.kind for scope in scopes]
        index = kinds.index(self._scope.kind) if self._scope.kind in kinds else -1
        scope = EVERYTHING if everything else scopes[(index + 1) % len(scopes)]
        if scope.is_list != self.is_filter:
            # The text moves: the list is whole again, or the search ends.
            self._apply("")
        self._take(scope)
        self.typed(self._line.bar.value)

    def clear(self) -> None:
        """End the search at once; the line shows the filter of the view again."""
        self._is_entered = False
        self._search.search("", "")
        self.show_filter()
        self.update_searches()

    def clear_filter(self) -> bool:
        """Remove the filter of the chosen view; False if it has none."""
        if not self._view().filter_text:
            return False
        self._view().filter_text = ""
        self.show_filter()
        return True

    def focus_moved(self, widget: Widget) -> None:
        """List the saved searches while the focus is in the empty line or in their list."""
        self._is_entered = widget is self._line.bar or self._searches in widget.ancestors
        if not self._is_entered and not self._line.bar.value:
            self.show_filter()
        self.update_searches()

    def update_searches(self) -> None:
        """List the saved searches, or no longer."""
        # They stay until the first hits arrive, so that the view is not shown in between.
        shows = self._is_entered and not self.is_filter and not self._search.is_active
        if shows != self.shows_searches:
            self.shows_searches = shows
            if shows:
                self._searches.reload()
            self._frame()

    def _take(self, scope: Scope) -> None:
        self._scope = scope
        self._line.chip.scope = scope.title
        self._line.bar.is_filter = scope.is_list
        self._line.bar.placeholder = scope.placeholder
        if scope.is_list:
            self._line.show_size(None)

    def _put(self, text: str) -> None:
        with self._line.bar.prevent(Input.Changed):
            self._line.bar.put(text)
