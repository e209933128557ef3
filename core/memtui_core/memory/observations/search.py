"""Search over the observations by words, files and meaning; an observation can be found as soon as it is saved."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memtui_core.errors import MemtuiError
from memtui_core.memory.observations.keyword_index import FIELD_LABELS, KeywordIndex, document_number, field_texts
from memtui_core.memory.observations.store import Observations
from memtui_core.memory.summaries import Summaries
from memtui_core.search.embed import Embedder
from memtui_core.search.filters.file import matching_file
from memtui_core.search.filters.filter import Filter, FilterContext, ObservationTest
from memtui_core.search.fusion import Candidate, fuse, is_semantic
from memtui_core.search.path_search import PathHit
from memtui_core.search.query_parser import apply_filters, parse
from memtui_core.search.vectors.nearest import SemanticHit
from memtui_core.store.lexicon.query import Query
from memtui_core.store.observation import Observation

if TYPE_CHECKING:
    from memtui_core.memory.observations.vector_search import ObservationVectorSearch

FOLDER = "observations"
"""Folder, in the data folder, of everything that can be built from the log again."""
_CANDIDATES = 300
"""Maximum candidates of each engine."""
_PROJECT_BOOST = 0.15
"""Added to the score of observations of the current project, as in the search over turns."""
_EMBED_PER_SEARCH = 50
"""Maximum texts that one search embeds, newest first: about a quarter of a second."""


@dataclass(frozen=True, slots=True)
class ObservationHit:
    """An observation that answers a query."""

    observation: Observation
    why: tuple[str, ...]
    """What matched: `title`, `narrative`, `concept`, `file` or `meaning`; empty for a query without words."""
    score: float


@dataclass(frozen=True, slots=True)
class ObservationSearchResult:
    """The result of one query."""

    query: str
    hits: tuple[ObservationHit, ...]
    note: str = ""
    """What limits the result: filters that were not applied, or observations that have no vectors yet."""


class ObservationSearch:
    """Searches the observations of one data folder; thread-safe.

    Without `embedder` there is no semantic search.
    """

    def __init__(self, observations: Observations, embedder: Embedder | None = None) -> None:
        self.observations = observations
        self.summaries = Summaries()
        """Makes those of the sessions that are found beside observations."""
        self._embedder = embedder
        self._lock = threading.RLock()
        self._keyword_index = KeywordIndex(observations.folder / FOLDER / "lexicon", observations.path)
        self._vector_search: ObservationVectorSearch | None = None
        self._version: tuple[int, frozenset[str] | None] = (-1, None)
        self._is_indexed = True
        self._live: dict[int, Observation] = {}
        """The observations that are not forgotten, by their number in the keyword index."""

    def use(self, embedder: Embedder | None) -> None:
        """Use another model for semantic search; None turns it off."""
        with self._lock:
            if embedder is not self._embedder:
                self._embedder, self._vector_search = embedder, None

    def embed(self, limit: int = 1000) -> int:
        """Embed up to `limit` observations, newest first, and return how many still have no vectors."""
        with self._lock:
            self._refresh()
            vector_search = self._opened_vector_search()
            return vector_search.embed(list(self._live.values()), limit) if vector_search else 0

    def search(
        self,
        text: str,
        limit: int = 10,
        *,
        type: str | None = None,  # noqa: A002
        root: str | None = None,
        current_root: str = "",
    ) -> ObservationSearchResult:
        """The best observations for a query, newer ones first among equals; for a query without words the newest.

        `type` and `root`, the root of a project, restrict the search before the limit; observations of the project
        with the root `current_root` get a higher score. Any text is a valid query.

        Raises MemtuiError if the log cannot be read.
        """
        query = parse(text)
        filters = apply_filters(query, Filter.observation_test, FilterContext(datetime.now().astimezone()))
        notes = list(filters.notes)
        conditions = [_joined(tests, all if one.conjunctive else any) for one, tests in filters.included]
        conditions += [_negated(test) for test in filters.excluded]
        if type is not None:
            conditions.append(lambda item: item.content.type == type)
        if root is not None:
            conditions.append(lambda item: item.root == root)
        with self._lock:
            self._refresh()
            allowed = _allowed(self._live, conditions)
            candidates = self._candidates(
                query, allowed, restricted=bool(conditions) or self.observations.is_restricted, notes=notes
            )
        if not self._is_indexed:
            notes.append("the keyword index could not be brought up to date")
        if not query.words:
            excluded = {candidate.turn for candidate in candidates}
            remaining = (item for number, item in allowed.items() if number not in excluded)
            newest = sorted(remaining, key=_newest_last, reverse=True)[:limit]
            return ObservationSearchResult(
                text, tuple(ObservationHit(item, (), 0.0) for item in newest), "; ".join(notes)
            )
        ranked = _ranked([candidate for candidate in candidates if candidate.turn in allowed], allowed, current_root)
        hits = tuple(_hit(candidate, allowed[candidate.turn]) for candidate in ranked[:limit])
        return ObservationSearchResult(text, hits, "; ".join(notes))

    def _candidates(
        self, query: Query, allowed: dict[int, Observation], *, restricted: bool, notes: list[str]
    ) -> list[Candidate]:
        """The candidates for a query; for a query that only excludes words, the observations to exclude."""
        among = list(allowed) if restricted else None
        lexicon = self._keyword_index.lexicon
        if not query.words:
            hits = [
                hit
                for phrase in query.excluded
                for hit in lexicon.search(Query(phrases=(phrase,)), len(allowed) + 1, turns=among)
            ]
            return [Candidate(hit.turn) for hit in hits]
        keyword_hits = [hit for hit in lexicon.search(query, _CANDIDATES, turns=among) if hit.turn in allowed]
        path_hits = _path_hits(query.paths, allowed)
        vector_hits: list[SemanticHit] = []
        if is_semantic(query) and (vector_search := self._opened_vector_search()):
            missing = _embed_new(vector_search, self._live)
            if missing:
                notes.append(f"{missing} of {len(self._live)} observations cannot be found by their meaning yet")
            vector_hits = vector_search.search(" ".join(query.terms), _CANDIDATES, self._live, among)
        return fuse(query, keyword_hits, vector_hits, path_hits)

    def _refresh(self) -> None:
        """Read and index what any process has added to the log."""
        offset, observations = self.observations.with_offsets()
        version = self.observations.version, self.observations.roots
        if version == self._version and self._is_indexed:
            return
        self._version = version
        self._live = {
            document_number(item): item
            for item, _ in observations
            if item.forgotten_at is None and self.observations.allows(item.root)
        }
        self._is_indexed = self._keyword_index.update(offset, observations)

    def _opened_vector_search(self) -> ObservationVectorSearch | None:
        if self._vector_search is None and self._embedder is not None:
            from memtui_core.memory.observations.vector_search import ObservationVectorSearch

            self._vector_search = ObservationVectorSearch(self.observations.folder / FOLDER, self._embedder)
        return self._vector_search


def _embed_new(vector_search: ObservationVectorSearch, live: Mapping[int, Observation]) -> int:
    """Embed some new observations and return how many still have no vectors."""
    observations = list(live.values())
    try:
        return vector_search.embed(observations, _EMBED_PER_SEARCH)
    except (OSError, MemtuiError):
        return vector_search.count_missing(observations)


def _joined(tests: Sequence[ObservationTest], operator: Callable[[Iterable[bool]], bool]) -> ObservationTest:
    return lambda item: operator(test(item) for test in tests)


def _negated(test: ObservationTest) -> ObservationTest:
    return lambda item: not test(item)


def _allowed(live: dict[int, Observation], conditions: Sequence[ObservationTest]) -> dict[int, Observation]:
    if not conditions:
        return live
    return {number: item for number, item in live.items() if all(condition(item) for condition in conditions)}


def _path_hits(paths: Collection[str], allowed: Mapping[int, Observation]) -> list[PathHit]:
    """The observations whose files match the paths of a query."""
    path_hits = []
    for number, observation in allowed.items() if paths else ():
        matches = [match for path in paths if (match := matching_file(observation, path))]
        if matches:
            kind, file = min(matches)  # edited before read
            path_hits.append(PathHit(number, len(matches), kind, file))
    return path_hits


def _ranked(candidates: Sequence[Candidate], allowed: Mapping[int, Observation], current_root: str) -> list[Candidate]:
    """By score, then by the number of engines that found it, then the newer, then by id."""

    def order(candidate: Candidate) -> tuple[float, int, float, str]:
        observation = allowed[candidate.turn]
        score = candidate.score + (_PROJECT_BOOST if current_root and observation.root == current_root else 0.0)
        return (-round(score, 9), -candidate.engines, -observation.created_at.timestamp(), observation.id)

    return sorted(candidates, key=order)


def _hit(candidate: Candidate, observation: Observation) -> ObservationHit:
    fields = candidate.lexical.fields(field_texts(observation)) if candidate.lexical else ()
    why = [FIELD_LABELS.get(name, name) for name in fields]
    if candidate.path and "file" not in why:
        why.append("file")
    if candidate.semantic:
        why.append("meaning")
    return ObservationHit(observation, tuple(why), round(candidate.score, 4))


def _newest_last(observation: Observation) -> tuple[datetime, str]:
    return observation.created_at.astimezone(UTC), observation.id
