"""Search while the user types: a new query cancels the running one, and hits by meaning come later if that is slow."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.services.index_service import IndexService
from memtui.services.job_queue import JobCancelled
from memtui.system import clock
from memtui_core.model import ENGINES, SearchResult, Variety

if TYPE_CHECKING:
    from memtui_core.index.index import Index

FIRST_HITS = 30
"""Hits that a search loads first: about a screen of them."""
_SLOW = 0.1
"""Seconds of the search by meaning from which the hits by words and paths are shown before it."""
_REST = 0.15
"""Seconds after the hits of the screen for which the others wait: a key in this time makes them useless."""
_WITHOUT_MEANING = tuple(name for name in ENGINES if name != "meaning")
Show = Callable[[SearchResult], object]


class LiveSearch:
    """Searches the index; `SearchResult.query` names the query of a result."""

    def __init__(self, index: IndexService) -> None:
        self._index = index
        self._newest: tuple[str, bool] = "", False
        """The text that was searched last, and whether the team was asked."""
        self._asked = threading.Event()
        """Set when something else is searched."""
        self._is_prepared = False
        self.variety = Variety()
        """Of what there are several in the index, as of the search that answered last."""
        self._meaning_seconds = 0.0
        """How long the last search by meaning took, without making hits of what it found."""

    def prepare(self) -> None:
        """Do in a thread what would make the first search slow; must be called with an open index."""
        if not self._is_prepared:
            self._is_prepared = True
            self._index.query("search", lambda index: index.search.prepare(), lambda _: None)

    def search(self, text: str, limit: int, show: Show, screen: int = 0, *, with_team: bool = False) -> None:
        """Search in a thread and call `show` with the result; at first with the hits by words and paths if it is slow.

        With a `screen` of hits, a moment before the texts of the others are read, also with a result in which only
        these have passages. A running search with another text is cancelled. With `with_team` colleagues' turns come
        last.
        """
        self._newest = text, with_team
        self._asked.set()
        self._index.use_model()
        self._index.query("search", lambda index: self._run(index, text, limit, show, screen, with_team), show)

    def _run(self, index: Index, text: str, limit: int, show: Show, screen: int, with_team: bool) -> SearchResult:
        meaning_since: float | None = None

        def check_cancelled() -> None:
            nonlocal meaning_since
            if meaning_since is not None:
                self._meaning_seconds, meaning_since = time.perf_counter() - meaning_since, None
            if self._newest != (text, with_team):
                raise JobCancelled

        def show_first_hits(first_hits: Callable[[], SearchResult]) -> None:
            nonlocal meaning_since
            # Making hits takes longer than most searches by meaning.
            if self._meaning_seconds > _SLOW:
                self._index.jobs.deliver(show, _completed(index, first_hits()))
            meaning_since = time.perf_counter()

        def show_screen(result: SearchResult) -> None:
            self._index.jobs.deliver(show, _completed(index, result))
            self._asked.clear()
            check_cancelled()
            self._asked.wait(_REST)
            check_cancelled()

        team = self._index.team_of(index) if with_team else None
        self.variety = index.sessions.variety() if team is None else Variety(agents=True, projects=True)
        search = index.search if team is None else team.search
        result = search(
            text,
            limit,
            live=True,
            engines=ENGINES if self._index.uses_meaning else _WITHOUT_MEANING,
            current_folder=self._index.folder,
            on_first_hits=show_first_hits,
            screen=screen,
            on_screen=show_screen if screen else None,
            check_cancelled=check_cancelled,
        )
        return _completed(index, result)


def _completed(index: Index, result: SearchResult) -> SearchResult:
    """Tell which sessions run, wait or have failed, and add a note if the search did not use vectors.

    If only some turns lack vectors, the status line says so.
    """
    from memtui_core.index.search import WORDS_AND_PATHS

    ends = index.sessions.unfinished(clock.now())
    if any(hit.session in ends for hit in result.hits):
        result = replace(result, hits=tuple(replace(hit, end=ends.get(hit.session)) for hit in result.hits))
    gap = index.vectors.gap(result.query)
    if gap is None or not gap.reason:
        return result
    return replace(result, note="; ".join(filter(None, (result.note, gap.message(WORDS_AND_PATHS)))))
