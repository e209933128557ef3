"""A search from the text of a query to its ranked hits."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial

from memtui_core.model import ENGINES, SearchResult
from memtui_core.queries.activity.endings import unfinished
from memtui_core.queries.current_project import project_at
from memtui_core.queries.names import session_folders
from memtui_core.queries.sessions import unless_archived
from memtui_core.search.annotated_turns import SCORE, annotated_turns
from memtui_core.search.engines import SOURCES, Engines, TurnStore
from memtui_core.search.filters.choices import ARCHIVED
from memtui_core.search.filters.expression import RE
from memtui_core.search.filters.filter import FilterContext
from memtui_core.search.fusion import (
    RANKED_BY_PASSAGES,
    Candidate,
    fuse,
    is_sentence,
    path_weight,
    rank_of_passage,
    with_annotated,
)
from memtui_core.search.hits import HitDetails, HitMaker, HitQuery, read_hit_details
from memtui_core.search.path_search import PathHit
from memtui_core.search.query_parser import parse, resolve_scope
from memtui_core.search.vectors.nearest import SemanticHit
from memtui_core.store.lexicon import LexicalHit, Matcher
from memtui_core.store.lexicon.expressions import MARK, problem
from memtui_core.store.lexicon.query import Clause, Query, content_words, read_clauses
from memtui_core.store.lexicon.tokens import parts
from memtui_core.text.controls import label

OnFirstHits = Callable[[Callable[[], SearchResult]], object]
"""Takes a function that returns the hits by words and paths."""
OnScreen = Callable[[SearchResult], object]
"""Takes a result in which only the hits on the first screen have passages."""
CANDIDATES = 300
"""Turns that each engine may return."""
_PROJECT_BONUS = 0.15
"""Added to the score of turns of the current project: as much as for a hit that is clearly a little better."""
_MAX_RANKED = 100
"""Candidates that are ranked again with the project's bonus."""
_ONLY_PATHS = 1.5
"""Weight of the call on a file if the query is nothing but paths: more than any place that only names the file."""
_NEAREST_SHARE = 0.2
"""Share of its score that a turn keeps that touched another file of the name, if turns contain the path itself."""
_NAMED_FOLDERS = 2
"""Last parts of a path whose words are looked for if nothing names the path."""
_MARGIN = 10
"""Candidates beyond the limit: the lexicon may contain turns that this snapshot does not."""


def search(
    store: TurnStore,
    text: str,
    limit: int,
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
    """Return the best `limit` turns, or groups of turns; any text is a query, so none raises.

    The options are those of `Index.search`. Relative dates count from the current time.
    """
    run = _Search(store, text, limit, current_folder, check_cancelled, live=live, grouped=grouped, passages=passages)
    query, scope, engine = run.query, run.scope, run.engine
    if not query.words:
        if scope.files:
            return run.result(run.fuse([], [], engine.search_paths(scope.files, run.max_candidates)))
        newest = engine.newest_turns(query, run.max_candidates)
        return run.result([Candidate(turn) for turn in newest], keep_order=True)
    lexical_hits = engine.search_words(query, run.max_candidates, live=live) if "lexicon" in engines else []
    check_cancelled()
    path_hits = _search_paths(engine, run, guess=not lexical_hits) if "paths" in engines else []
    check_cancelled()
    if not lexical_hits and not path_hits and run.only_paths and {"lexicon", "paths"} <= set(engines):
        words = run.words_of_paths()
        if lexical_hits := engine.search_words(words, run.max_candidates):
            query = run.look_for(words)
        check_cancelled()
    if "meaning" not in engines or not engine.uses_vectors(query):
        return run.result(run.fuse(lexical_hits, [], path_hits), screen=screen, on_screen=on_screen)
    if on_first_hits is not None:
        on_first_hits(lambda: run.result(run.fuse(lexical_hits, [], path_hits)))
    semantic_hits = engine.search_vectors(query, run.max_candidates)
    check_cancelled()
    return run.result(run.fuse(lexical_hits, semantic_hits, path_hits), screen=screen, on_screen=on_screen)


class _Search:
    """One search: its parsed query and scope, its notes, and the way from candidates to the result."""

    def __init__(
        self,
        store: TurnStore,
        text: str,
        limit: int,
        current_folder: str,
        check_cancelled: Callable[[], object],
        *,
        live: bool,
        grouped: bool,
        passages: int | None,
    ) -> None:
        self._started = time.perf_counter()
        snapshot = self._snapshot = store.snapshot
        self._live = live
        self._grouped = grouped
        self._text = text
        self._check_cancelled = check_cancelled
        self._limit = limit
        self._passages = passages
        """The number of hits that get passages; None for all."""
        project = project_at(snapshot, current_folder, session_folders(snapshot)) if current_folder else None
        self._root = project.root if project else None
        self.query = parse(text)
        context = FilterContext(datetime.now().astimezone(), store.resolve_file, partial(unfinished, snapshot))
        self.scope = resolve_scope(self.query, context)
        if not _names_archived(self.query):
            self.scope = replace(self.scope, unless_archived=unless_archived(snapshot))
        self.engine = store.engines(self.scope)
        self.notes = list(self.scope.notes)
        self.max_candidates = max(CANDIDATES, limit + _MARGIN)
        """Turns that each engine may return."""
        self.has_nearest = False
        """Whether another file of its name stands for a path that no session touched."""

    @property
    def only_paths(self) -> bool:
        """Whether the query is nothing but paths."""
        return 0 < len(self.query.words) <= len(self.query.paths)

    def words_of_paths(self) -> Query:
        """A query for the words in the names of the files and of their folders."""
        names = [part for path in self.query.paths for part in reversed(path.split("/")[-_NAMED_FOLDERS:])]
        words = [word for name in names for word in parts(name.rpartition(".")[0] or name) if len(word) > 1]
        return replace(self.query, terms=tuple(dict.fromkeys(words)), phrases=(), paths=())

    def look_for(self, words: Query) -> Query:
        """Replace a query for paths that nothing names, and say so."""
        paths = " ".join(self.query.paths)
        nothing = "Nothing that the filters leave" if self.scope.where else "Nothing"
        self.notes.append(f"{nothing} names {label(paths)}; shown: turns with its words, {' '.join(words.terms)}")
        self.query = words
        return words

    def fuse(
        self, lexical: Sequence[LexicalHit], semantic: Sequence[SemanticHit], paths: Sequence[PathHit]
    ) -> list[Candidate]:
        """All candidates, the best first; turns that contain a path come before those that touched the nearest file."""
        is_named = self.has_nearest and self.only_paths and bool(lexical)
        found = fuse(self.query, lexical, semantic, paths, _NEAREST_SHARE if is_named else 1.0)
        return with_annotated(found, self._annotated, SCORE) if self._annotated else found

    @cached_property
    def _annotated(self) -> list[int]:
        """The turns whose annotations contain the words of the query."""
        return annotated_turns(self._snapshot, parse(self._text), self.scope, live=self._live)

    def result(
        self,
        candidates: Sequence[Candidate],
        *,
        keep_order: bool = False,
        screen: int = 0,
        on_screen: OnScreen | None = None,
    ) -> SearchResult:
        """The best hits; with `keep_order` in the order of the candidates.

        `on_screen` gets the result when only the best hits of the first `screen` groups have passages; its time is that
        of the whole result.
        """
        if not self._grouped:
            candidates = candidates[: max(self._limit + _MARGIN, _MAX_RANKED)]
        details = read_hit_details(self._snapshot, [candidate.turn for candidate in candidates])
        self._check_cancelled()
        listed = [candidate for candidate in candidates if candidate.turn in details]
        if not keep_order:
            listed = _rank(listed, details, self._root)
        made_of: Sequence[Candidate] = listed if self._grouped else listed[: self._limit]
        maker = HitMaker(self._snapshot, made_of, details, self._hit_query(), self._check_cancelled)
        if not keep_order and is_sentence(self.query):
            maker.rank_by_passages(
                RANKED_BY_PASSAGES,
                lambda one, passages: rank_of_passage(self.query, _score(one, details, self._root), passages),
            )
        if self._grouped:
            made_of = maker.keep_groups(self._limit)
        more = len(listed) > len(made_of)
        # Words that only a title must contain are not marked in the turn.
        words = () if self.scope.fields == ("title",) else content_words(self.query)
        prefix = self._live and self.query.last_is_prefix and words[-1:] == self.query.terms[-1:]
        words = (*(f"{MARK}{expression}" for expression in self._expressions), *words)

        def made(elapsed: float | None = None) -> SearchResult:
            hits = maker.hits()
            if elapsed is None:
                elapsed = (time.perf_counter() - self._started) * 1000
            return SearchResult(self._text, hits, more, elapsed, "; ".join(self.notes), words, prefix)

        first = None
        if on_screen is not None:
            maker.find_passages(screen)
            first = made()
            on_screen(first)
        maker.find_passages(self._limit if self._grouped else None, self._passages)
        return made(first.elapsed_ms if first is not None else None)

    @cached_property
    def _expressions(self) -> list[str]:
        """The regular expressions that count."""
        return [value for name, value in self.query.filters if name == RE.name and not problem(value)]

    def _hit_query(self) -> HitQuery:
        query = self.query
        of_words = read_clauses(query, live=self._live).clauses
        clauses = (*of_words, *(Clause(expression=one) for one in self._expressions))
        rarity = (*self.engine.rarity(of_words), *(1.0 for _ in self._expressions))
        fields = self.scope.fields
        sources = None if fields is None else frozenset(SOURCES[name] for name in fields if name in SOURCES)
        weight = _ONLY_PATHS if self.only_paths else path_weight(query)
        return HitQuery(Matcher(clauses), rarity, sources, weight, self.scope.quotes)


def _names_archived(query: Query) -> bool:
    """Whether a query asks for archived sessions, or for a certain session."""
    archived = ARCHIVED.partition(":")
    return any(
        name == "session" or (name == archived[0] and value and archived[2].startswith(value.lower()))
        for name, value in query.filters
    )


def _search_paths(engine: Engines, run: _Search, *, guess: bool) -> list[PathHit]:
    """The turns that touched the paths of the query, or the closest files, which a note names.

    With `guess`, if no word matched, a mistyped name counts too, and a single word may be a part of a path.
    """
    query = run.query
    if not query.paths:
        similar = engine.similar_files(query.terms[0]) if guess and len(query.terms) == 1 else []
        return engine.search_paths(similar, run.max_candidates)
    resolved = [engine.resolve_files(path, mistyped=guess) for path in query.paths]
    run.has_nearest = any(files.note for files in resolved)
    run.notes += [files.note for files in resolved if files.note]
    paths = dict.fromkeys(path for files in resolved for path in files.paths)
    return engine.search_paths(list(paths), run.max_candidates)


def _rank(candidates: Sequence[Candidate], details: Mapping[int, HitDetails], root: str | None) -> list[Candidate]:
    """By score, then by the number of engines, then newer first, then by id."""

    def order(candidate: Candidate) -> tuple[float, int, float, int]:
        at = details[candidate.turn].started_at
        started = at.timestamp() if at else 0.0
        return (-round(_score(candidate, details, root), 9), -candidate.engines, -started, candidate.turn)

    return sorted(candidates, key=order)


def _score(candidate: Candidate, details: Mapping[int, HitDetails], root: str | None) -> float:
    """The score of a candidate, with the bonus for the current project."""
    return candidate.score + (_PROJECT_BONUS if details[candidate.turn].root == root else 0.0)
