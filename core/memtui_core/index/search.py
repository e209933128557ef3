"""The search for turns by words, meaning and paths."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from memtui_core.index.vectors import WORDS_AND_PATHS
from memtui_core.model import ENGINES, Example, SearchResult
from memtui_core.queries.names import session_folders
from memtui_core.search.completion import FilterValues, complete, read_filter_values
from memtui_core.search.engines import LocalStore
from memtui_core.search.filters.registry import filters_by_name
from memtui_core.search.hits import group_hits, read_groups
from memtui_core.search.pipeline import OnFirstHits, OnScreen, search
from memtui_core.search.query_parser import parse
from memtui_core.search.selection import TurnMatches, matching_sessions
from memtui_core.store.lexicon import Lexicon, LexiconDamaged, matcher_of
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.snapshot.reader import Allowed, Snapshot, unusable

if TYPE_CHECKING:
    from memtui_core.index.index import Index

__all__ = ["WORDS_AND_PATHS", "Search", "complete", "filters_by_name", "group_hits", "matcher_of", "parse"]

_ATTEMPTS = 5
"""How often a snapshot is opened again whose keyword index is newer."""


class Search:
    """The search: called with a query, it returns the best turns."""

    def __init__(self, index: Index) -> None:
        self._index = index
        _lexicon_of(index.snapshot)

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
        passages: int | None = None,
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
        `passages`: only so many hits, the best, get passages; None for all.
        `check_cancelled`: called after each step; an exception that it raises ends the search.
        """
        snapshot, vectors = self._index.snapshot, self._index.vectors
        with _searching(snapshot) as lexicon:
            return search(
                LocalStore(snapshot, lexicon, vectors.embed, vectors.matrix(snapshot)),
                text,
                limit,
                live=live,
                grouped=grouped,
                engines=engines,
                current_folder=current_folder,
                on_first_hits=on_first_hits,
                screen=screen,
                on_screen=on_screen,
                passages=passages,
                check_cancelled=check_cancelled,
            )

    def sessions_matching(self, text: str, now: datetime) -> TurnMatches:
        """All sessions with a turn that contains every word of a query and meets its filters; never by meaning.

        Raises NothingSelected if the query is empty or not clear.
        """
        snapshot = self._index.snapshot
        with _searching(snapshot) as lexicon:
            return matching_sessions(LocalStore(snapshot, lexicon), text, now)

    def prepare(self) -> None:
        """Do once what would make the first search slower than the next ones."""
        # Nothing has this word, so that no text is read.
        self("\ue000", 1, engines=("lexicon", "paths"))
        session_folders(self._index.snapshot)
        read_groups(self._index.snapshot)

    def examples(self) -> tuple[Example, ...]:
        """Queries that have hits, made of what is in the index, with what each finds: one of each kind that it has."""
        # It knows errors as the reviews of compactions do, whose modules no search needs.
        from memtui_core.memory.examples import read_examples

        snapshot = self._index.snapshot

        def has_hits(query: str) -> bool:
            return bool(self(query, 1, engines=("lexicon", "paths"), passages=0).hits)

        return snapshot.cached("examples", lambda: read_examples(snapshot, has_hits))

    def filter_values(self) -> FilterValues:
        """The values with which the filters of a query can be completed."""
        return read_filter_values(self._index.snapshot)


def paired(snapshot: Snapshot, allowed: Allowed | None = None) -> Snapshot:
    """A snapshot, or a newer one, that has its keyword index open; raises the errors of `Index.open`.

    The indexer commits the keyword index before it publishes, and changes it with the next snapshot. So it is opened at
    once. If it is newer, so is the snapshot most of the time; until that is published, hits are looked up in the texts
    of the older one.
    """
    for _ in range(_ATTEMPTS):
        if _lexicon_of(snapshot).batch <= snapshot.number:
            break
        manifest = read_manifest(snapshot.data)
        if manifest is None or manifest.batch == snapshot.number:
            break
        snapshot.close()
        snapshot = Snapshot(snapshot.data, allowed=allowed)
    return snapshot


@contextmanager
def _searching(snapshot: Snapshot) -> Iterator[Lexicon]:
    """The keyword index of a snapshot. Raises IndexBroken if it is damaged."""
    lexicon = _lexicon_of(snapshot)
    try:
        if lexicon.problem is not None:
            raise LexiconDamaged(lexicon.problem)
        yield lexicon
    except LexiconDamaged as error:
        raise unusable(snapshot.data, error) from error


def _lexicon_of(snapshot: Snapshot) -> Lexicon:
    """The keyword index with which a snapshot is searched, as it was when it was opened."""
    return snapshot.cached("lexicon", lambda: Lexicon(snapshot.data.lexicon))
