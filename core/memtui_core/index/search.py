"""The search for turns by words, meaning and paths."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import TYPE_CHECKING

from memtui_core.index.vectors import WORDS_AND_PATHS
from memtui_core.model import ENGINES, SearchResult
from memtui_core.queries.names import session_folders
from memtui_core.search.completion import FilterValues, complete, read_filter_values
from memtui_core.search.engines import LocalStore
from memtui_core.search.filters.registry import filters_by_name
from memtui_core.search.hits import group_hits, read_groups
from memtui_core.search.pipeline import OnFirstHits, OnScreen, search
from memtui_core.search.query_parser import parse
from memtui_core.search.selection import TurnMatches, matching_sessions
from memtui_core.store.lexicon import Lexicon, LexiconDamaged, matcher_of
from memtui_core.store.snapshot.reader import unusable

if TYPE_CHECKING:
    from memtui_core.index.index import Index

__all__ = ["WORDS_AND_PATHS", "Search", "complete", "filters_by_name", "group_hits", "matcher_of", "parse"]


class Search:
    """The search: called with a query, it returns the best turns."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._number = index.snapshot.number
        """The snapshot for which the keyword index was opened."""
        self._lexicon = Lexicon(index.data.lexicon)

    def __call__(
        self,
        text: str,
        limit: int = 50,
        *,
        live: bool = False,
        grouped: bool = False,
        engines: Collection[str] = ENGINES,
        current_folder: str = "",
        on_first_hits: OnFirstHits | None = None,
        screen: int = 0,
        on_screen: OnScreen | None = None,
        check_cancelled: Callable[[], object] = lambda: None,
    ) -> SearchResult:
        """Return the best `limit` turns for a query. Any text is a query, so none raises; a damaged index does.

        Meaning is used after `Vectors.load_model`, as long as the snapshot's vectors are of that model.

        `live`: the query is still being typed, so its last word may be the beginning of one.
        `grouped`: `limit` counts groups of hits (`Hit.group`), of which only the best hits get passages.
        `engines`: the names of the engines that may be used.
        `current_folder`: turns of the project that contains this folder rank a little higher.
        `on_first_hits`: called before the semantic search with a function that returns the hits by words and paths.
        `on_screen`: called with the result when only the best hits of the first `screen` groups have passages.
        `check_cancelled`: called after each step; an exception that it raises ends the search.
        """
        snapshot, vectors = self._index.snapshot, self._index.vectors
        if snapshot.number != self._number:
            self.refresh()
            self._number = snapshot.number
        try:
            if self._lexicon.problem is not None:
                raise LexiconDamaged(self._lexicon.problem)
            return search(
                LocalStore(snapshot, self._lexicon, vectors.embed, vectors.matrix()),
                text,
                limit,
                live=live,
                grouped=grouped,
                engines=engines,
                current_folder=current_folder,
                on_first_hits=on_first_hits,
                screen=screen,
                on_screen=on_screen,
                check_cancelled=check_cancelled,
            )
        except LexiconDamaged as error:
            raise unusable(self._index.data, error) from error

    def sessions_matching(self, text: str, now: datetime) -> TurnMatches:
        """All sessions with a turn that contains every word of a query and meets its filters; never by meaning.

        Raises NothingSelected if the query is empty or not clear.
        """
        try:
            if self._lexicon.problem is not None:
                raise LexiconDamaged(self._lexicon.problem)
            return matching_sessions(LocalStore(self._index.snapshot, self._lexicon), text, now)
        except LexiconDamaged as error:
            raise unusable(self._index.data, error) from error

    def prepare(self) -> None:
        """Do once what would make the first search slower than the next ones."""
        # Nothing has this word, so that no text is read.
        self("\ue000", 1, engines=("lexicon", "paths"))
        session_folders(self._index.snapshot)
        read_groups(self._index.snapshot)

    def filter_values(self) -> FilterValues:
        """The values with which the filters of a query can be completed."""
        return read_filter_values(self._index.snapshot)

    def refresh(self) -> None:
        """Search the keyword index as it is now."""
        self._lexicon.refresh()
