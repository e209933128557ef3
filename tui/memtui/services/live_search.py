"""Search while the user types: a new query cancels the running one, and slow searches show their hits in two steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.services.index_service import IndexService
from memtui.services.job_queue import JobCancelled
from memtui_core.model import SearchResult

if TYPE_CHECKING:
    from memtui_core.index import Index

FIRST_HITS = 30
"""Hits that a search loads first: about a screen of them."""
_SLOW = 100.0
"""Milliseconds from which a search shows its hits in two steps."""
Show = Callable[[SearchResult], object]


class LiveSearch:
    """Searches the index; `SearchResult.query` names the query of a result."""

    def __init__(self, index: IndexService) -> None:
        self._index = index
        self._newest = ""
        self._last_ms = 0.0
        """Milliseconds that the last completed search took."""

    def search(self, text: str, limit: int, show: Show) -> None:
        """Search in a thread and call `show` with the result; a slow search first shows the hits by words and paths.

        A running search with another text is cancelled.
        """
        self._newest = text
        self._index.use_model()
        self._index.query("search", lambda index: self._run(index, text, limit, show), show)

    def _run(self, index: Index, text: str, limit: int, show: Show) -> SearchResult:
        def check_cancelled() -> None:
            if self._newest != text:
                raise JobCancelled

        def show_first_hits(first_hits: Callable[[], SearchResult]) -> None:
            if self._last_ms > _SLOW:
                self._index.jobs.deliver(show, _with_gap(index, first_hits()))

        result = index.search(
            text,
            limit,
            live=True,
            current_folder=self._index.folder,
            on_first_hits=show_first_hits,
            check_cancelled=check_cancelled,
        )
        self._last_ms = result.elapsed_ms
        return _with_gap(index, result)


def _with_gap(index: Index, result: SearchResult) -> SearchResult:
    """Add a note if the search did not use vectors; if only some turns lack vectors, the status line says so."""
    from memtui_core.search.vector_coverage import WORDS_AND_PATHS

    gap = index.vector_gap(result.query)
    if gap is None or not gap.reason:
        return result
    return replace(result, note="; ".join(filter(None, (result.note, gap.message(WORDS_AND_PATHS)))))
