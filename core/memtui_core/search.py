"""A query to ranked hits: words, meaning and file paths side by side."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from memtui_core.browse import utc
from memtui_core.embed import Vector
from memtui_core.fusion import Candidate, fuse, goes_by_meaning
from memtui_core.lexicon import Lexicon, Shown
from memtui_core.meaning import MeaningHit, nearest
from memtui_core.model import Hit, SearchResult
from memtui_core.path_search import search_by_file_path
from memtui_core.query import Query, parse
from memtui_core.store.reader import Snapshot, among

ENGINES = ("lexicon", "meaning", "paths")
CANDIDATES = 300
"""Turns that each engine may bring forward."""
_SNIPPET_LENGTH = 240
_HEAD = 1000
"""Characters of a text read for a line of it: white space may be most of them."""
_SPEAKER = re.compile(r"\[(?:User|Assistant|Tools)\] ?")
_SESSION_FILTERS = {"project": "s.project", "agent": "s.agent", "session": "s.session_id"}


_SPARE = 10
"""Candidates beyond the limit: the lexicon may hold turns that this snapshot does not know."""

EmbedQuery = Callable[[str], Vector]


def search(
    snapshot: Snapshot,
    lexicon: Lexicon,
    text: str,
    limit: int,
    *,
    live: bool = False,
    embed: EmbedQuery | None = None,
    engines: Collection[str] = ENGINES,
) -> SearchResult:
    """The best `limit` turns. Any text is a query: none raises (SPEC S3.7).

    Without `embed` turns are not looked for by their meaning.
    """
    started = time.perf_counter()
    query = parse(text)
    sessions = _narrowed(snapshot, query)
    wanted = max(CANDIDATES, limit + _SPARE)
    lexical = lexicon.search(query, wanted, live=live, sessions=sessions) if "lexicon" in engines else []
    meant = _meant(snapshot, query, wanted, sessions, embed) if embed and "meaning" in engines else []
    touched = search_by_file_path(snapshot, _paths(query), wanted, sessions) if "paths" in engines else []
    candidates = fuse(query, lexical, meant, touched)[: limit + _SPARE]
    facts = _facts(snapshot, [candidate.turn for candidate in candidates])
    known = [candidate for candidate in candidates if candidate.turn in facts]
    heads = _heads(snapshot, known[:limit])
    hits = tuple(_hit(candidate, facts[candidate.turn], heads) for candidate in known[:limit])
    elapsed = (time.perf_counter() - started) * 1000
    words = (*query.phrases, *query.terms)
    return SearchResult(text, hits, len(known) > limit, elapsed, _note(query), words)


def _meant(
    snapshot: Snapshot, query: Query, limit: int, sessions: Sequence[int] | None, embed: EmbedQuery
) -> list[MeaningHit]:
    if not goes_by_meaning(query):
        return []
    where = "" if sessions is None else among("t.session", sessions)
    return nearest(snapshot, embed(" ".join(query.terms)), limit, where)


def _paths(query: Query) -> list[str]:
    named = [value for name, value in query.filters if name == "file"]
    return sorted({*query.hints, *named})


def _narrowed(snapshot: Snapshot, query: Query) -> list[int] | None:
    """The sessions that the filters leave; None when no filter speaks of sessions (SPEC S4.20: before the limit)."""
    conditions: list[str] = []
    parameters: list[Any] = []
    for name, value in query.filters:
        if name in _SESSION_FILTERS:
            conditions.append(f"starts_with(lower({_SESSION_FILTERS[name]}), ?)")
            parameters.append(value.lower())
    if not conditions:
        return None
    rows = snapshot.rows(f"SELECT s.key FROM sessions s WHERE {' AND '.join(conditions)}", parameters)
    return [key for (key,) in rows]


def _note(query: Query) -> str:
    known = {*_SESSION_FILTERS, "file"}
    unknown = [f"{name}:" for name, _ in query.filters if name not in known]
    return f"{', '.join(unknown)} is not applied" if unknown else ""


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
