"""The three engines that look for turns, each within the scope of a query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from memtui_core.embed import Vector
from memtui_core.lexicon import LexicalHit, Lexicon
from memtui_core.query import Query
from memtui_core.search.filters import Scope
from memtui_core.search.fusion import goes_by_meaning
from memtui_core.search.path_search import FilesMeant, PathHit, files_meant, search_by_file_path
from memtui_core.search.vector_search import MeaningHit, nearest
from memtui_core.store.reader import Snapshot

if TYPE_CHECKING:
    from memtui_core.search.vector_matrix import Matrix

EmbedQuery = Callable[[str], Vector]
_ALL = 1_000_000


class Engines:
    """Answers for one query; without `embed` nothing is found by its meaning."""

    def __init__(
        self,
        snapshot: Snapshot,
        lexicon: Lexicon,
        embed: EmbedQuery | None,
        matrix: Matrix | None,
        scope: Scope,
    ) -> None:
        self._snapshot = snapshot
        self._lexicon = lexicon
        self._embed = embed
        self._matrix = matrix
        self._scope = scope

    def by_words(self, query: Query, limit: int, *, live: bool = False) -> list[LexicalHit]:
        """Turns that hold words and phrases of the query; `live` takes its last term for the beginning of a word."""
        return self._lexicon.search(
            query, limit, live=live, fields=self._scope.fields, sessions=self._sessions, turns=self._turns
        )

    def goes_by_meaning(self, query: Query) -> bool:
        """Whether it is looked for by its meaning: not where `in:` says what kind of text must hold the words."""
        return self._embed is not None and goes_by_meaning(query) and self._scope.fields is None

    def by_meaning(self, query: Query, limit: int) -> list[MeaningHit]:
        """Turns that are about what the query says."""
        if self._embed is None or not self.goes_by_meaning(query):
            return []
        vector = self._embed(" ".join(query.terms))
        return nearest(self._snapshot, vector, limit, self._scope.where, self._scope.parameters, self._matrix)

    def by_path(self, paths: Sequence[str], limit: int) -> list[PathHit]:
        """Turns that touched files."""
        return search_by_file_path(self._snapshot, paths, limit, self._scope.where, self._scope.parameters)

    def files_meant(self, path: str, *, mistyped: bool) -> FilesMeant:
        """The files that a path stands for, among those of the sessions that the scope leaves."""
        if not self._scope.where or not self._scope.of_sessions:
            return files_meant(self._snapshot, path, mistyped=mistyped)
        nobody = "No session that the filters leave touched"
        where, parameters = self._scope.where, self._scope.parameters
        return files_meant(self._snapshot, path, where, parameters, nobody=nobody, mistyped=mistyped)

    def newest(self, query: Query, limit: int) -> list[int]:
        """The newest turns, for a query that only filters or excludes."""
        if not (self._scope.where or query.excluded):
            return []
        without = {
            hit.turn
            for phrase in query.excluded
            for hit in self._lexicon.search(Query(phrases=(phrase,)), _ALL, sessions=self._sessions, turns=self._turns)
        }
        rows = self._snapshot.rows(
            f"SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session WHERE {self._scope.where or 'TRUE'}"
            f" AND NOT s.hidden ORDER BY credible(t.started_at) DESC NULLS LAST, t.id DESC"
            f" LIMIT {limit + len(without)}",
            self._scope.parameters,
        )
        return [turn for (turn,) in rows if turn not in without]

    @cached_property
    def _sessions(self) -> list[int] | None:
        """The sessions left, where the scope speaks of sessions only: fewer numbers than those of turns."""
        if not self._scope.where or not self._scope.of_sessions:
            return None
        return self._keys("SELECT s.key FROM sessions s")

    @cached_property
    def _turns(self) -> list[int] | None:
        if not self._scope.where or self._scope.of_sessions:
            return None
        return self._keys("SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session")

    def _keys(self, select: str) -> list[int]:
        return [key for (key,) in self._snapshot.rows(f"{select} WHERE {self._scope.where}", self._scope.parameters)]
