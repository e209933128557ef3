"""The controller for searches: the query, the scope, and how many hits are loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from textual.content import Content
from textual.widgets import Input

from memtui.browse.reader import SessionReader
from memtui.browse.results_view import ResultsView
from memtui.services.index_service import IndexService
from memtui.services.live_search import FIRST_HITS, LiveSearch
from memtui.target import Target
from memtui.widgets.search_bar import SearchBar
from memtui_core.model import SearchResult, Session

MORE_HITS = 4
"""Factor by which the number of hits grows when the cursor is near the end of the list."""
SCOPES: Final[dict[str, Callable[[Session], str]]] = {
    "all": lambda session: "",
    "project": lambda session: f'project:"{session.root or session.project}" ',
    "session": lambda session: f"session:{session.session_id} ",
}
"""The scopes in the order of `ctrl+r`, each with the filter that it adds to the query for the open session."""


class SearchController:
    """Connects the search bar, the list of hits and the open session.

    `set_searching` shows the hits in the place of the view, or the view again.
    """

    def __init__(
        self,
        index: IndexService,
        bar: SearchBar,
        results: ResultsView,
        reader: SessionReader,
        set_searching: Callable[[bool], object],
    ) -> None:
        self._index = index
        self._search = LiveSearch(index)
        self._bar = bar
        self._results = results
        self._reader = reader
        self._set_searching = set_searching
        self._text = ""
        self._scope = "all"
        self._scope_filter = ""
        """The filter of the scope, which is put before the typed text."""
        self._limit = FIRST_HITS
        self._has_index = False
        self._target_before: Target | None = None
        """The turn that was open when the search began."""
        self.is_active = False
        """Whether the hits are shown in the place of the view."""

    @property
    def query_text(self) -> str:
        """The query; filters come first, so that the last word can match as the beginning of a word."""
        return f"{self._scope_filter}{self._text}"

    def index_changed(self) -> None:
        """Search again in a newer snapshot."""
        self._has_index = True
        self._index.load_model()
        self._index.query("filter values", lambda index: index.filter_values(), self._show_values)
        self.repeat()

    def _show_values(self, values: Mapping[str, Sequence[str]]) -> None:
        self._bar.values = values

    def typed(self, text: str) -> None:
        """Search for the text in the search bar; an empty text ends the search."""
        self._reader.delay_previews()
        self._text = text
        self._limit = FIRST_HITS
        if text.strip():
            self.repeat()
        else:
            self._end()

    def clear(self) -> None:
        """Empty the bar and end the search at once."""
        with self._bar.prevent(Input.Changed):
            self._bar.value = ""
        self.typed("")

    def repeat(self) -> None:
        """Run the query again after the index, the scope or the number of hits has changed."""
        if self._has_index and self._text.strip():
            self._search.search(self.query_text, self._limit, self._show)

    def load_more(self, shown: int) -> None:
        """Load more hits than the `shown` ones."""
        self._limit = max(self._limit, shown * MORE_HITS)
        self.repeat()

    def change_scope(self) -> None:
        """Go to the next scope: everything, the project of the open session, the open session."""
        session = self._reader.session
        names = list(SCOPES)
        self._scope = names[(names.index(self._scope) + 1) % len(names)] if session is not None else names[0]
        self._scope_filter = SCOPES[self._scope](session) if session is not None else ""
        titles = {"project": f" in {session.project}", "session": " in this session"} if session is not None else {}
        self._bar.border_title = Content(f"search{titles.get(self._scope, '')}")
        self.repeat()

    def _show(self, result: SearchResult) -> None:
        if result.query != self.query_text:
            return
        if not self.is_active:
            session, number = self._reader.session, self._reader.transcript.number
            self._target_before = Target(session.key, number) if session is not None else None
            self.is_active = True
            self._set_searching(True)
        self._bar.show_size(result)
        self._results.show(result)

    def _end(self) -> None:
        """Show the view again, and the turn that was open before the search."""
        self._bar.show_size(None)
        self._reader.transcript.clear_hit()
        if not self.is_active:
            return
        self.is_active = False
        self._set_searching(False)
        if self._target_before is not None:
            self._reader.open(self._target_before, at_once=False)
