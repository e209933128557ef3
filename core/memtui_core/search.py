"""A query to ranked hits: words, meaning and file paths side by side."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memtui_core.engines import EmbedQuery, Engines
from memtui_core.fusion import Candidate, fuse
from memtui_core.here import project_at
from memtui_core.hits import Facts, facts_of, hits_of
from memtui_core.lexicon import Lexicon
from memtui_core.model import SearchResult
from memtui_core.path_search import PathHit, meant, named_or_meant
from memtui_core.query import Query, parse
from memtui_core.scope import scope_of
from memtui_core.store.reader import Snapshot

if TYPE_CHECKING:
    from memtui_core.matrix import Matrix

ENGINES = ("lexicon", "meaning", "paths")
CANDIDATES = 300
"""Turns that each engine may bring forward."""
_HERE = 0.15
"""Added to what was done in the person's own project: as much as a hit that is clearly a little better."""
_RANKED_AGAIN = 100
"""Candidates among which the project counts."""
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
    now: datetime | None = None,
) -> SearchResult:
    """The best `limit` turns. Any text is a query: none raises (SPEC S3.7).

    Without `embed` turns are not looked for by their meaning; `matrix` makes that quick. What was done in the project
    of the folder `here` stands a little before the rest; `now` is what relative dates count from.
    """
    started = time.perf_counter()
    query = parse(text)
    scope = scope_of(query, now or datetime.now().astimezone(), lambda name: named_or_meant(snapshot, name))
    wanted = max(CANDIDATES, limit + _SPARE)
    ask = Engines(snapshot, lexicon, embed, matrix, scope)
    if query.words:
        candidates = _found(ask, snapshot, query, wanted, engines, live=live)
    elif scope.files:
        candidates = fuse(query, [], [], ask.by_path(scope.files, wanted))
    else:
        candidates = [Candidate(turn) for turn in ask.newest(query, wanted)]
    candidates = candidates[: max(limit + _SPARE, _RANKED_AGAIN)]
    facts = facts_of(snapshot, [candidate.turn for candidate in candidates])
    known = [candidate for candidate in candidates if candidate.turn in facts]
    if query.words or scope.files:
        at = project_at(snapshot, here)
        known = _ranked(known, facts, at.root if at else None)
    hits = hits_of(snapshot, known[:limit], facts)
    elapsed = (time.perf_counter() - started) * 1000
    return SearchResult(text, hits, len(known) > limit, elapsed, "; ".join(scope.notes), query.words)


def _found(
    ask: Engines, snapshot: Snapshot, query: Query, limit: int, engines: Collection[str], *, live: bool
) -> list[Candidate]:
    """What is found by words, by meaning and by the paths among the words."""
    lexical = ask.by_words(query, limit, live=live) if "lexicon" in engines else []
    near = ask.by_meaning(query, limit) if "meaning" in engines else []
    touching: list[PathHit] = []
    if "paths" in engines:
        touching = ask.by_path(query.hints, limit)
        named = query.hints or (query.terms if len(query.terms) == 1 else ())
        if not touching and not lexical and named:
            touching = ask.by_path([path for name in named for path in meant(snapshot, name)], limit)
    return fuse(query, lexical, near, touching)


def _ranked(candidates: Sequence[Candidate], facts: Mapping[int, Facts], root: str | None) -> list[Candidate]:
    """By score, then by how many engines found it, then the newer, then by id."""

    def order(candidate: Candidate) -> tuple[float, int, float, int]:
        known = facts[candidate.turn]
        score = candidate.score + (_HERE if known.root == root else 0.0)
        age = known.started_at.timestamp() if known.started_at else 0.0
        return (-round(score, 9), -candidate.engines, -age, candidate.turn)

    return sorted(candidates, key=order)
