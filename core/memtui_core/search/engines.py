"""The three engines that find turns: words, vectors and paths, each within the scope of a query.

A store of turns has its own engines; what they find is ranked, and shown, in the same way. Those of the local index are
here. The lexicon does not store the texts of its fields, so they are read from the snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Protocol

from memtui_core.model import Source
from memtui_core.search.fusion import is_semantic, is_sentence
from memtui_core.search.path_search import (
    PathHit,
    ResolvedFiles,
    find_similar_files,
    resolve_files,
    search_by_file_path,
)
from memtui_core.search.query_parser import QueryScope
from memtui_core.search.vectors.nearest import SemanticHit, nearest_turns
from memtui_core.store.lexicon import LexicalHit, Lexicon
from memtui_core.store.lexicon.fields import field_texts, kinds_in
from memtui_core.store.lexicon.query import Clause, Query
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition

if TYPE_CHECKING:
    from memtui_core.search.vectors.nearest import NearestTurns
    from memtui_core.system.startup.numeric import Vector

EmbedQuery = Callable[[str], "Vector"]
_ALL = 1_000_000


class Engines(Protocol):
    """The engines of a store for one query, within its scope."""

    def search_words(self, query: Query, limit: int, *, live: bool = False) -> list[LexicalHit]:
        """The turns that contain words and phrases of the query; with `live` its last term is a prefix."""

    def rarity(self, clauses: Sequence[Clause]) -> tuple[float, ...]:
        """How rare each clause is: from 0.1 if every turn contains it to 1 if none does."""

    def uses_vectors(self, query: Query) -> bool:
        """Whether semantic search applies."""

    def search_vectors(self, query: Query, limit: int) -> list[SemanticHit]:
        """The turns that are nearest to the query in meaning."""

    def search_paths(self, paths: Sequence[str], limit: int) -> list[PathHit]:
        """The turns that touched files."""

    def resolve_files(self, path: str, *, mistyped: bool) -> ResolvedFiles:
        """The files that a path stands for, among those of the sessions in the scope."""

    def similar_files(self, text: str) -> list[str]:
        """The files whose paths are similar to a word."""

    def newest_turns(self, query: Query, limit: int) -> list[int]:
        """The newest turns, for a query that has only filters or exclusions."""


class TurnStore(Protocol):
    """Turns that can be searched: the local index, or what a server has."""

    @property
    def snapshot(self) -> Snapshot:
        """The rows of the turns that its engines find."""

    def resolve_file(self, path: str) -> ResolvedFiles:
        """The files that the value of a filter stands for."""

    def engines(self, scope: QueryScope) -> Engines:
        """The engines for one query."""


class LocalStore:
    """The turns of the local index; without `embed` there is no semantic search, and `matrix` makes it fast."""

    def __init__(
        self, snapshot: Snapshot, lexicon: Lexicon, embed: EmbedQuery | None = None, matrix: NearestTurns | None = None
    ) -> None:
        self.snapshot = snapshot
        self._lexicon = lexicon
        self._embed = embed
        self._matrix = matrix

    def resolve_file(self, path: str) -> ResolvedFiles:
        """The path itself, or the closest file."""
        return resolve_files(self.snapshot, path)

    def engines(self, scope: QueryScope) -> LocalEngines:
        """The engines for one query."""
        return LocalEngines(self.snapshot, self._lexicon, self._embed, self._matrix, scope)


class LocalEngines:
    """The engines of the local index for one query."""

    def __init__(
        self,
        snapshot: Snapshot,
        lexicon: Lexicon,
        embed: EmbedQuery | None,
        matrix: NearestTurns | None,
        scope: QueryScope,
    ) -> None:
        self._snapshot = snapshot
        self._lexicon = lexicon
        self._embed = embed
        self._matrix = matrix
        self._scope = scope

    def search_words(self, query: Query, limit: int, *, live: bool = False) -> list[LexicalHit]:
        """The turns that contain words and phrases of the query; with `live` its last term is a prefix."""
        return self._lexicon.search(
            query,
            limit,
            live=live,
            every_first=not is_sentence(query),
            fields=self._scope.fields,
            sessions=self._sessions,
            turns=self._turns,
            read_texts=lambda turns, fields: read_field_texts(self._snapshot, turns, fields),
        )

    def with_every_word(self, query: Query) -> list[int]:
        """All turns that contain every word and phrase of the query, and no excluded one."""
        hits = self._lexicon.search(
            query,
            _ALL,
            every_only=True,
            fields=self._scope.fields,
            sessions=self._sessions,
            turns=self._turns,
            read_texts=lambda turns, fields: read_field_texts(self._snapshot, turns, fields),
        )
        return [hit.turn for hit in hits]

    def every_touch(self, paths: Sequence[str]) -> list[int]:
        """All turns that touched one of some files."""
        return [hit.turn for hit in self.search_paths(paths, _ALL)]

    def every_turn(self, query: Query) -> list[int]:
        """All turns that meet the filters of a query without words, and contain no excluded word."""
        return self.newest_turns(query, _ALL)

    def rarity(self, clauses: Sequence[Clause]) -> tuple[float, ...]:
        """How rare each clause is: from 0.1 if every turn contains it to 1 if none does."""
        return self._lexicon.rarity(clauses)

    def uses_vectors(self, query: Query) -> bool:
        """Whether semantic search applies; `in:` states the kind of text that must contain the words instead."""
        return self._embed is not None and is_semantic(query) and self._scope.fields is None

    def search_vectors(self, query: Query, limit: int) -> list[SemanticHit]:
        """The turns that are nearest to the query in meaning."""
        if self._embed is None or not self.uses_vectors(query):
            return []
        vector = self._embed(" ".join(query.terms))
        return nearest_turns(self._snapshot, vector, limit, self._scope.condition, self._scope.parameters, self._matrix)

    def search_paths(self, paths: Sequence[str], limit: int) -> list[PathHit]:
        """The turns that touched files."""
        return search_by_file_path(self._snapshot, paths, limit, self._scope.condition, self._scope.parameters)

    def resolve_files(self, path: str, *, mistyped: bool) -> ResolvedFiles:
        """The files that a path stands for, among those of the sessions in the scope."""
        if not self._scope.where or not self._scope.sessions_only:
            return resolve_files(self._snapshot, path, mistyped=mistyped)
        nobody = "No session that the filters leave touched"
        where, parameters = self._scope.where, self._scope.parameters
        return resolve_files(self._snapshot, path, where, parameters, nobody=nobody, mistyped=mistyped)

    def similar_files(self, text: str) -> list[str]:
        """The files whose paths are similar to a word."""
        return find_similar_files(self._snapshot, text)

    def newest_turns(self, query: Query, limit: int) -> list[int]:
        """The newest turns, for a query that has only filters or exclusions."""
        if not (self._scope.where or query.excluded):
            return []
        excluded = {
            hit.turn
            for phrase in query.excluded
            for hit in self._lexicon.search(Query(phrases=(phrase,)), _ALL, sessions=self._sessions, turns=self._turns)
        }
        rows = self._snapshot.rows(
            f"SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session WHERE {self._scope.condition or 'TRUE'}"
            f" AND NOT s.hidden ORDER BY credible(t.started_at) DESC NULLS LAST, t.id DESC"
            f" LIMIT {limit + len(excluded)}",
            self._scope.parameters,
        )
        return [turn for (turn,) in rows if turn not in excluded]

    @cached_property
    def _sessions(self) -> list[int] | None:
        """The keys of the sessions in a scope of sessions only: they are fewer than the ids of their turns."""
        if not self._scope.condition or not self._scope.sessions_only:
            return None
        return self._select("SELECT s.key FROM sessions s")

    @cached_property
    def _turns(self) -> list[int] | None:
        """The ids of the turns in any other scope."""
        if not self._scope.condition or self._scope.sessions_only:
            return None
        return self._select("SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session")

    def _select(self, select: str) -> list[int]:
        return [
            key for (key,) in self._snapshot.rows(f"{select} WHERE {self._scope.condition}", self._scope.parameters)
        ]


SOURCES: Mapping[str, Source] = {
    "user": "user",
    "assistant": "assistant",
    "thinking": "thinking",
    "call": "tool call",
    "output": "tool output",
    "notes": "note",
    "asides": "aside",
}
"""The fields of the lexicon that contain the text of blocks, with the source of that text."""


def read_field_texts(snapshot: Snapshot, turns: Sequence[int], fields: Collection[str]) -> dict[int, dict[str, str]]:
    """Some fields of turns; those of the user's text, the title and the blocks are known."""
    texts: dict[int, dict[str, str]] = {turn: {} for turn in turns}
    if "user" in fields or "title" in fields:
        user = "coalesce(t.user_text, '')" if "user" in fields else "''"
        for turn, text, title in snapshot.rows(
            f"SELECT t.id, {user}, CASE WHEN t.number = 1 THEN s.title ELSE '' END FROM turns t"
            f" JOIN sessions s ON s.key = t.session WHERE {key_condition('t.id', turns)}"
        ):
            texts[turn] |= {"user": text, "title": title}
    if kinds := kinds_in(fields):
        rows = snapshot.rows(
            f"SELECT turn, kind, tool, text FROM blocks WHERE {key_condition('turn', turns)}"
            f" AND kind IN ({', '.join(map(repr, kinds))}) ORDER BY turn, seq"
        )
        for turn, own in groupby(rows, key=itemgetter(0)):
            texts[turn] |= field_texts((kind, tool, text) for _, kind, tool, text in own)
    return texts
