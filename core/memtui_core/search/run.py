"""A query to ranked hits: words, meaning and file paths side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memtui_core.lexicon import Lexicon, Matcher
from memtui_core.lexicon.clauses import content_words, read
from memtui_core.model import SearchResult
from memtui_core.queries.current_project import Here, project_at
from memtui_core.query import parse
from memtui_core.search.engines import EmbedQuery, Engines
from memtui_core.search.filters import FIELDS, SOURCES, scope_of
from memtui_core.search.fusion import Candidate, fuse, share_of_paths
from memtui_core.search.hits import Asked, Facts, facts_of, hits_of
from memtui_core.search.path_search import PathHit, files_meant, meant
from memtui_core.store.reader import Snapshot

if TYPE_CHECKING:
    from memtui_core.search.vector_matrix import Matrix

ENGINES = ("lexicon", "meaning", "paths")
Early = Callable[[Callable[[], SearchResult]], object]
CANDIDATES = 300
"""Turns that each engine may bring forward."""
_HERE = 0.15
"""Added to what was done in the person's own project: as much as a hit that is clearly a little better."""
_RANKED_AGAIN = 100
"""Candidates among which the project counts."""
_ONLY_PATHS = 1.5
"""Worth of the call on a file where the query says nothing else: it comes before all places that only name the file."""
_SPARE = 10
"""Candidates beyond the limit: the lexicon may hold turns that this snapshot does not know."""


def search(
    snapshot: Snapshot,
    lexicon: Lexicon,
    text: str,
    limit: int,
    *,
    live: bool = False,
    embed: EmbedQuery | None = None,
    matrix: Matrix | None = None,
    engines: Collection[str] = ENGINES,
    here: str = "",
    early: Early | None = None,
    still: Callable[[], object] = lambda: None,
    now: datetime | None = None,
) -> SearchResult:
    """The best `limit` turns. Any text is a query: none raises.

    Without `embed` turns are not looked for by their meaning; `matrix` makes that quick. What was done in the project
    of the folder `here` stands a little before the rest. `early` is called before turns are looked for by their
    meaning, and may ask for what words and paths found; `still` before each step, and may raise to give the search up.
    `now` is what relative dates count from.
    """
    asked = _Question(snapshot, lexicon, text, limit, project_at(snapshot, here), now, live=live)
    query, scope = asked.query, asked.scope
    ask = Engines(snapshot, lexicon, embed, matrix, scope)
    if not query.words:
        if scope.files:
            return asked.answer(fuse(query, [], [], ask.by_path(scope.files, asked.wanted)))
        return asked.answer([Candidate(turn) for turn in ask.newest(query, asked.wanted)], as_they_are=True)
    lexical = ask.by_words(query, asked.wanted, live=live) if "lexicon" in engines else []
    still()
    touching = _touching(ask, snapshot, asked, guess=not lexical) if "paths" in engines else []
    still()
    if "meaning" not in engines or not ask.goes_by_meaning(query):
        return asked.answer(fuse(query, lexical, [], touching))
    if early is not None:
        early(lambda: asked.answer(fuse(query, lexical, [], touching)))
    near = ask.by_meaning(query, asked.wanted)
    still()
    return asked.answer(fuse(query, lexical, near, touching))


class _Question:
    """One question, and how candidates become its answer."""

    def __init__(
        self,
        snapshot: Snapshot,
        lexicon: Lexicon,
        text: str,
        limit: int,
        at: Here | None,
        now: datetime | None,
        *,
        live: bool,
    ) -> None:
        self._started = time.perf_counter()
        self._snapshot = snapshot
        self._lexicon = lexicon
        self._live = live
        self._text = text
        self._limit = limit
        self._root = at.root if at else None
        self.query = parse(text)
        self.scope = scope_of(self.query, now or datetime.now().astimezone(), lambda name: files_meant(snapshot, name))
        self.notes = list(self.scope.notes)
        self.wanted = max(CANDIDATES, limit + _SPARE)
        """Turns that each engine is asked for."""

    def answer(self, candidates: Sequence[Candidate], *, as_they_are: bool = False) -> SearchResult:
        """The best hits; `as_they_are` keeps their order."""
        candidates = candidates[: max(self._limit + _SPARE, _RANKED_AGAIN)]
        facts = facts_of(self._snapshot, [candidate.turn for candidate in candidates])
        known = [candidate for candidate in candidates if candidate.turn in facts]
        if not as_they_are:
            known = _ranked(known, facts, self._root)
        hits = hits_of(self._snapshot, known[: self._limit], facts, self._asked())
        elapsed = (time.perf_counter() - self._started) * 1000
        notes = "; ".join(self.notes)
        # What a title was asked for is not looked for in what was said.
        words = () if self.scope.fields == FIELDS["title"] else content_words(self.query)
        prefix = self._live and self.query.last_is_prefix and words[-1:] == self.query.terms[-1:]
        return SearchResult(self._text, hits, len(known) > self._limit, elapsed, notes, words, prefix)

    def _asked(self) -> Asked:
        """What is looked for in the text of the hits."""
        clauses = read(self.query, live=self._live).clauses
        fields = self.scope.fields
        sources = None if fields is None else frozenset(SOURCES[name] for name in fields if name in SOURCES)
        query = self.query
        only_paths = len(query.hints) >= len(query.terms) + len(query.phrases)
        for_paths = _ONLY_PATHS if only_paths else share_of_paths(query)
        return Asked(Matcher(clauses), self._lexicon.rarity(clauses), sources, for_paths)


def _touching(ask: Engines, snapshot: Snapshot, asked: _Question, *, guess: bool) -> list[PathHit]:
    """Turns that touched the paths among the words, or the nearest files, which a note says.

    With `guess`, where no word was found, a mistyped name counts too, and a lone word may be half a path.
    """
    query = asked.query
    if not query.hints:
        names = meant(snapshot, query.terms[0]) if guess and len(query.terms) == 1 else []
        return ask.by_path(names, asked.wanted)
    meanings = [ask.files_meant(hint, mistyped=guess) for hint in query.hints]
    asked.notes += [one.note for one in meanings if one.note]
    return ask.by_path(list(dict.fromkeys(path for one in meanings for path in one.paths)), asked.wanted)


def _ranked(candidates: Sequence[Candidate], facts: Mapping[int, Facts], root: str | None) -> list[Candidate]:
    """By score, then by how many engines found it, then the newer, then by id."""

    def order(candidate: Candidate) -> tuple[float, int, float, int]:
        known = facts[candidate.turn]
        score = candidate.score + (_HERE if known.root == root else 0.0)
        age = known.started_at.timestamp() if known.started_at else 0.0
        return (-round(score, 9), -candidate.engines, -age, candidate.turn)

    return sorted(candidates, key=order)
