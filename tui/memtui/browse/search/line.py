"""The controller for the search line: whether its text searches or filters the list of the view, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from textual import events
from textual.widgets import Input

from memtui.browse.controllers import handles
from memtui.browse.first_steps import FirstSteps
from memtui.browse.focus import PaneFocus
from memtui.browse.frame import ViewFrame
from memtui.browse.search.controller import SearchController
from memtui.browse.search.scopes import EVERYTHING, Scope, list_scope, project_scope, scopes_of
from memtui.browse.search.searches_view import SearchList
from memtui.services.index_service import IndexService
from memtui.services.messages import IndexChanged
from memtui.views.base import View
from memtui.widgets.inspector.pane import Inspector
from memtui.widgets.row_list import RowList
from memtui.widgets.search.bar import SearchBar
from memtui.widgets.search.line import SearchLine

LIVE: Final = "is:live"
"""The query for the sessions that run or wait for the user."""


class SearchLineController:
    """Connects the search line with the search and with the filters of the views; each view keeps its own filter."""

    def __init__(
        self, index: IndexService, line: SearchLine, search: SearchController, frame: ViewFrame, focus: PaneFocus
    ) -> None:
        self._index = index
        self._line = line
        self._search = search
        self._frame = frame
        self._focus = focus
        self._scope = EVERYTHING
        self._is_entered = False
        """Whether the line, or the list of the saved searches, has the focus."""
        self._has_old_values = False
        """Whether the values that complete a filter are to be read from a newer snapshot."""

    @property
    def is_filter(self) -> bool:
        """Whether the text filters the list of the view."""
        return self._scope.is_list

    @property
    def _is_unused(self) -> bool:
        """Whether nothing is typed or searched."""
        return not self._line.bar.value and not self._search.has_query

    @property
    def has_focus(self) -> bool:
        """Whether the cursor is in the line."""
        return self._line.bar.has_focus

    @handles(IndexChanged)
    def index_changed(self) -> None:
        """Complete filters from a newer snapshot, as soon as the line has the focus."""
        self._has_old_values = True
        self._read_values()

    def _read_values(self) -> None:
        if self._is_entered and self._has_old_values:
            self._has_old_values = False
            self._index.query("filter values", lambda index: index.search.filter_values(), self._show_values)

    def _show_values(self, values: Mapping[str, Sequence[str]]) -> None:
        self._line.bar.values = values

    def show_filter(self) -> None:
        """Show the filter of the chosen view; without one the line is empty."""
        view = self._frame.chosen_view
        filters = bool(view.ITEMS) and (bool(view.filter_text) or view.filters_first)
        self._put(view.filter_text)
        self._take(list_scope(view) if filters else EVERYTHING)

    def enter(self) -> None:
        """Go to the line, for a new text unless it has one."""
        if self._is_unused:
            self.show_filter()
        self._focus.go_to(self._line.bar)

    def action_search(self) -> None:
        """Focus the search line; `esc` in the empty line leads back."""
        self._search.prepare()
        self._index.use_model()
        self.enter()

    @handles(View.SearchRequested)
    def search_requested(self, message: View.SearchRequested) -> None:
        """Go to the line, or search for turns in the project of the search as the scope."""
        search = message.search
        if search is None:
            self.enter()
            return
        project = search.project
        self._take(project_scope(project.folder, project.name) if project is not None else EVERYTHING)
        self._put(search.query)
        self._search.search(search.query, self._scope, lists_all=True)

    def action_live(self) -> None:
        """List the sessions that run or wait for the user, of all projects."""
        self._take(EVERYTHING)
        self._put(LIVE)
        self._search.search(LIVE, self._scope)

    @handles(Inspector.FileChosen)
    def search_file(self, message: Inspector.FileChosen) -> None:
        """Search for what touched a file."""
        self.search_for(message.path)

    def search_for(self, query: str) -> None:
        """Search for a query for which something outside the line has asked, with the cursor in the line."""
        if self.is_filter:
            self._take(EVERYTHING)
        # Without its event, which does not come if the line has the same text as a filter.
        with self._line.bar.prevent(Input.Changed):
            self._line.bar.request(query)
        self._search.search(query, self._scope)
        self._focus.go_to(self._line.bar)

    @handles(FirstSteps.Asked)
    def ask(self, message: FirstSteps.Asked) -> None:
        """Search for an example of the card."""
        self.search_for(message.query)

    @handles(SearchList.Picked)
    def pick(self, message: SearchList.Picked) -> None:
        """Search for a query that was picked below the line, with the cursor in the line."""
        self._line.bar.put(message.query)
        self._focus.go_to(self._line.bar)

    @handles(SearchBar.HitsRequested)
    def go_to_hits(self, message: SearchBar.HitsRequested) -> None:
        """Go to the list, or open the hit to `read` it; with a `step`, move the cursor in the list from the line."""
        pane = self._frame.list_pane
        rows = pane.focus_target
        if message.step:
            if isinstance(rows, RowList):
                rows.step(message.step)
        elif pane.is_empty:
            return
        elif message.read and pane is self._frame.results:
            self._frame.results.hits.read()
        elif not message.read or self.is_filter:
            self._focus.go_to(rows)

    @handles(SearchBar.Typed)
    def typed(self, message: SearchBar.Typed) -> None:
        """Filter the list, or search."""
        self._use(message.text)

    def _use(self, text: str) -> None:
        self._apply(text)
        self._list_searches()

    def _apply(self, text: str) -> None:
        if self.is_filter:
            self._frame.reader.loader.delay_previews()
            self._frame.chosen_view.filter_text = text
        else:
            self._search.search(text, self._scope)

    @handles(SearchBar.ScopeRequested)
    def change_scope(self, message: SearchBar.ScopeRequested) -> None:
        """Go to the next scope, or search everything; the text now searches or filters there.

        A text that matches nothing in a part is searched everywhere next.
        """
        scopes = scopes_of(self._frame.reader.session, self._frame.chosen_view, has_team=self._index.has_team)
        kinds = [scope.kind for scope in scopes]
        index = kinds.index(self._scope.kind) if self._scope.kind in kinds else -1
        nowhere = self._search.found_nothing and self._scope != EVERYTHING
        scope = EVERYTHING if message.everything or nowhere else scopes[(index + 1) % len(scopes)]
        if scope.is_list != self.is_filter:
            # The text moves: the list is whole again, or the search ends.
            self._apply("")
        self._take(scope)
        self._use(self._line.bar.value)
        self._focus.go_to(self._line.bar)

    @handles(SearchBar.Left)
    def leave(self) -> None:
        """Go back from the empty line to where the user came from; it shows the filter of the view again."""
        self.clear()
        self._focus.return_to_list()

    def clear(self) -> None:
        """End the search at once; the line shows the filter of the view again."""
        self._search.search("", EVERYTHING)
        self._is_entered = False
        self.show_filter()
        self._list_searches()

    def clear_filter(self) -> bool:
        """Remove the filter of the chosen view; False if it has none."""
        if not self._frame.chosen_view.filter_text:
            return False
        self._frame.chosen_view.filter_text = ""
        self.show_filter()
        return True

    @handles(events.DescendantFocus)
    def focus_moved(self, event: events.DescendantFocus) -> None:
        """List the saved searches while the focus is in the empty line or in their list."""
        self._is_entered = event.widget is self._line.bar or self._frame.searches in event.widget.ancestors
        if not self._is_entered and self._is_unused:
            self.show_filter()
        self._read_values()
        self._list_searches()

    def _list_searches(self) -> None:
        self._frame.list_searches(self._is_entered and not self.is_filter)

    def _take(self, scope: Scope) -> None:
        self._scope = scope
        self._line.facts.scope = scope.title
        self._line.bar.is_filter = scope.is_list
        self._line.bar.placeholder = scope.placeholder
        if scope.is_list:
            self._line.show_size(None)

    def _put(self, text: str) -> None:
        with self._line.bar.prevent(Input.Changed):
            self._line.bar.put(text)
