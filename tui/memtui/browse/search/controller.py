"""The controller for searches: the query, and how many hits are loaded."""

from __future__ import annotations

from dataclasses import replace

from memtui.browse.controllers import handles
from memtui.browse.focus import PaneFocus
from memtui.browse.frame import ViewFrame
from memtui.browse.search.hit_list import HitList
from memtui.browse.search.scopes import EVERYTHING, TEAM, Scope
from memtui.services import messages
from memtui.services.index_service import IndexService
from memtui.services.live_search import FIRST_HITS, LiveSearch
from memtui.widgets.search.line import SearchLine
from memtui_core.model import SearchResult

MORE_HITS = 4
"""Factor by which the number of hits grows when the cursor is near the end of the list."""


class SearchController:
    """Runs queries, and shows their hits in the place of the view."""

    def __init__(self, index: IndexService, line: SearchLine, frame: ViewFrame, focus: PaneFocus) -> None:
        self._index = index
        self._search = LiveSearch(index)
        self._line = line
        self._frame = frame
        self._focus = focus
        self._query = ""
        """The query with the filter of the scope; empty if there is none."""
        self._text = ""
        """The query as it was typed."""
        self._scope = EVERYTHING
        self._limit = FIRST_HITS
        self._has_index = False

    @handles(messages.IndexChanged)
    def index_changed(self) -> None:
        """Search again in a newer snapshot, and load its vectors."""
        self._has_index = True
        self._frame.results.hits.let_go()
        self.repeat()
        self._index.update_vectors()

    @handles(messages.ModelMissing)
    def model_missing(self, message: messages.ModelMissing) -> None:
        """Search again, by words only."""
        self._line.notify(message.text, severity="warning", timeout=8, markup=False)
        self.repeat()

    @property
    def has_query(self) -> bool:
        """Whether something is searched, or was found."""
        return bool(self._query)

    @property
    def found_nothing(self) -> bool:
        """Whether the query has no hits."""
        return self._frame.is_searching and self._frame.results.is_empty

    def prepare(self) -> None:
        """Expect a query."""
        if self._has_index and not self._query:
            self._search.prepare()

    def search(self, text: str, scope: Scope, *, lists_all: bool = False) -> None:
        """Search for a text in a scope; an empty text ends the search, or lists all that is in the scope."""
        self._frame.reader.loader.delay_previews()
        self._text, self._scope = text, scope
        self._query = f"{scope.query_filter}{text}" if text.strip() or lists_all else ""
        self._limit = FIRST_HITS
        if self._query:
            self._run(self._frame.results.hits.screenful)
        else:
            self._end()

    @handles(messages.ModelLoaded)
    def repeat(self) -> None:
        """Run the query again after the index, the model or the number of hits has changed."""
        self._run(0)

    def _run(self, screen: int) -> None:
        if self._has_index and self._query:
            self._search.search(self._query, self._limit, self._show, screen, with_team=self._scope == TEAM)

    @handles(HitList.MoreRequested)
    def load_more(self, message: HitList.MoreRequested) -> None:
        """Load more hits than are shown."""
        self._limit = max(self._limit, message.shown * MORE_HITS)
        self.repeat()

    def _show(self, result: SearchResult) -> None:
        if result.query != self._query:
            return
        if not self._frame.is_searching:
            self._frame.show_hits(True)
            self._focus.list_replaced()
        self._line.show_size(result)
        varies = self._search.variety
        if self._scope.kind in {"project", "session"}:
            varies = replace(varies, projects=False)
        self._frame.results.hits.varies = varies
        self._frame.results.show(result, self._text, self._scope)

    def _end(self) -> None:
        """Show the view again, and what was read there before the search."""
        self._line.show_size(None)
        if self._frame.is_searching:
            self._frame.show_hits(False)
            self._frame.reader.reading.close(self._frame.results.view_name)
