"""Searching from the bar: what is searched, in which scope, and how many hits are loaded."""

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
"""How many times as many hits are loaded when the cursor comes near the end of the list."""
SCOPES: Final[dict[str, Callable[[Session], str]]] = {
    "all": lambda session: "",
    "project": lambda session: f'project:"{session.root or session.project}" ',
    "session": lambda session: f"session:{session.session_id} ",
}
"""The scopes that `ctrl+r` goes through: filters that are added to the query."""


class SearchController:
    """Joins the search bar, the hits and what is read beside them.

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
        """What the scope adds to what is typed."""
        self._limit = FIRST_HITS
        self._has_index = False
        self._read_before: Target | None = None
        """What was read when the search began."""
        self.is_active = False
        """The hits stand in the place of the view."""

    @property
    def query_text(self) -> str:
        """What is searched; filters stand first, so that the last word can still be the beginning of one."""
        return f"{self._scope_filter}{self._text}"

    def index_changed(self) -> None:
        """Search a newer snapshot."""
        self._has_index = True
        self._index.load_model()
        self._index.query("filter values", lambda index: index.filter_values(), self._show_values)
        self.repeat()

    def _show_values(self, values: Mapping[str, Sequence[str]]) -> None:
        self._bar.values = values

    def typed(self, text: str) -> None:
        """Search for what stands in the bar; the empty text ends the search."""
        self._reader.hold_previews()
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
        """Search for the same again: the index, the scope or the number of hits has changed."""
        if self._has_index and self._text.strip():
            self._search.search(self.query_text, self._limit, self._show)

    def load_more(self, shown: int) -> None:
        """Load more hits than the `shown` ones."""
        self._limit = max(self._limit, shown * MORE_HITS)
        self.repeat()

    def change_scope(self) -> None:
        """Search everywhere, then in the project of what is read, then in its session."""
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
            self._read_before = Target(session.key, number) if session is not None else None
            self.is_active = True
            self._set_searching(True)
        self._bar.say(result)
        self._results.show(result)

    def _end(self) -> None:
        """Show the view again, and beside it what was read before the search."""
        self._bar.say(None)
        self._reader.transcript.forget_answer()
        if not self.is_active:
            return
        self.is_active = False
        self._set_searching(False)
        if self._read_before is not None:
            self._reader.open(self._read_before, at_once=False)
