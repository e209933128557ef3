"""A query to ranked hits: words, meaning and file paths side by side."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from memtui_core.browse import utc
from memtui_core.engines import EmbedQuery, Engines
from memtui_core.fusion import Candidate, fuse
from memtui_core.lexicon import Lexicon, Shown
from memtui_core.model import Hit, SearchResult
from memtui_core.path_search import PathHit, meant, named_or_meant
from memtui_core.query import Query, parse
from memtui_core.scope import scope_of
from memtui_core.store.reader import Snapshot, among

ENGINES = ("lexicon", "meaning", "paths")
CANDIDATES = 300
"""Turns that each engine may bring forward."""
_SNIPPET_LENGTH = 240
_HEAD = 1000
"""Characters of a text read for a line of it: white space may be most of them."""
_SPEAKER = re.compile(r"\[(?:User|Assistant|Tools)\] ?")
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
    engines: Collection[str] = ENGINES,
    now: datetime | None = None,
) -> SearchResult:
    """The best `limit` turns. Any text is a query: none raises (SPEC S3.7).

    Without `embed` turns are not looked for by their meaning; `now` is what relative dates count from.
    """
    started = time.perf_counter()
    query = parse(text)
    scope = scope_of(query, now or datetime.now().astimezone(), lambda name: named_or_meant(snapshot, name))
    wanted = max(CANDIDATES, limit + _SPARE)
    ask = Engines(snapshot, lexicon, embed, scope)
    if query.words:
        candidates = _found(ask, snapshot, query, wanted, engines, live=live)
    elif scope.files:
        candidates = fuse(query, [], [], ask.by_path(scope.files, wanted))
    else:
        candidates = [Candidate(turn) for turn in ask.newest(query, wanted)]
    candidates = candidates[: limit + _SPARE]
    facts = _facts(snapshot, [candidate.turn for candidate in candidates])
    known = [candidate for candidate in candidates if candidate.turn in facts]
    heads = _heads(snapshot, known[:limit])
    hits = tuple(_hit(candidate, facts[candidate.turn], heads) for candidate in known[:limit])
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


def _facts(snapshot: Snapshot, turns: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """What a hit says beside its snippet, by turn."""
    if not turns:
        return {}
    rows = snapshot.rows(
        "SELECT t.id, s.key, s.session_id, s.agent, s.project, s.title, t.number, t.line, t.kind, t.started_at"
        " FROM turns t JOIN sessions s ON s.key = t.session"
        f" WHERE {among('t.id', turns)} AND NOT s.hidden"
    )
    return {row[0]: row for row in rows}


def _heads(snapshot: Snapshot, candidates: Sequence[Candidate]) -> dict[int, str]:
    """A line for hits that no word found: the beginning of the nearest chunk, else of the person's text."""
    found: dict[int, str] = {}
    wordless = [candidate for candidate in candidates if candidate.lexical is None]
    by_path = [candidate.turn for candidate in wordless if candidate.meaning is None]
    if by_path:
        rows = snapshot.rows(f"SELECT id, left(user_text, {_HEAD}) FROM turns WHERE {among('id', by_path)}")
        found.update({turn: _cut(text) for turn, text in rows})
    chunks = {candidate.turn: candidate.meaning.chunk for candidate in wordless if candidate.meaning is not None}
    if chunks:
        places = ", ".join(f"({turn}, {chunk})" for turn, chunk in chunks.items())
        rows = snapshot.rows(f"SELECT turn, left(text, {_HEAD}) FROM chunks WHERE (turn, seq) IN ({places})")
        found.update({turn: _cut(_SPEAKER.sub("", text)) for turn, text in rows})
    return found


def _hit(candidate: Candidate, facts: Sequence[Any], heads: Mapping[int, str]) -> Hit:
    turn, key, session_id, agent, project, title, number, line, kind, started_at = facts
    shown = candidate.lexical.show() if candidate.lexical else Shown()
    path = candidate.path
    why = [name for name in shown.fields if path is None or name != "path"]
    if candidate.meaning is not None:
        why.append("meaning")
    if path is not None:
        why.insert(0, f"{path.kind} {path.path}")
    return Hit(
        turn, key, session_id, agent, project, title, number, line,
        "compaction_summary" if kind == "compaction" else "turn", utc(started_at), shown.snippet or heads.get(turn, ""),
        shown.spans, tuple(why), candidate.score, path.path if path else None,
    )  # fmt: skip


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SNIPPET_LENGTH else line[: _SNIPPET_LENGTH - 1].rstrip() + "…"
