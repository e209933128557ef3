"""A query to ranked hits: keywords and file paths side by side, merged by score."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memtui_core.browse import utc
from memtui_core.lexicon import LexicalHit, Lexicon
from memtui_core.model import Hit, SearchResult, Span
from memtui_core.path_search import PathHit, search_by_file_path
from memtui_core.query import Query, parse
from memtui_core.store.reader import Snapshot

KEYWORD_SHARE = 0.6
PATH_SHARE = 1.0
"""A turn that touched the file asked for stands before one that only says its name."""
_KIND_WEIGHT: Mapping[str, float] = {"edited": 1.0, "read": 0.85, "mentioned": 0.7}
_SNIPPET_LENGTH = 240
_SESSION_FILTERS = {"project": "s.project", "agent": "s.agent", "session": "s.session_id"}


@dataclass(slots=True)
class _Candidate:
    turn: int
    score: float = 0.0
    lexical: LexicalHit | None = None
    path: PathHit | None = None
    why: list[str] = field(default_factory=list)


def search(snapshot: Snapshot, lexicon: Lexicon, text: str, limit: int, *, live: bool = False) -> SearchResult:
    """The best `limit` turns. Any text is a query: none raises (SPEC S3.7)."""
    started = time.perf_counter()
    query = parse(text)
    sessions = _narrowed(snapshot, query)
    wanted = limit + 1
    lexical = lexicon.search(query, wanted, live=live, sessions=sessions, snippets=wanted)
    paths = search_by_file_path(snapshot, _paths(query), wanted, sessions)
    candidates = _merge(lexical, paths)
    hits = _hits(snapshot, candidates[:wanted])
    elapsed = (time.perf_counter() - started) * 1000
    words = (*query.phrases, *query.terms)
    return SearchResult(text, tuple(hits[:limit]), len(hits) > limit, elapsed, _note(query), words)


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


def _merge(lexical: Sequence[LexicalHit], paths: Sequence[PathHit]) -> list[_Candidate]:
    """Normalise each engine's scores by its best and add them; ties by engines, then the newer turn."""
    found: dict[int, _Candidate] = {}
    best = max((hit.score for hit in lexical), default=0.0) or 1.0
    for hit in lexical:
        candidate = found.setdefault(hit.turn, _Candidate(hit.turn))
        candidate.lexical = hit
        candidate.score += KEYWORD_SHARE * hit.score / best
        candidate.why += hit.fields
    most = max((hit.matched for hit in paths), default=1)
    for path_hit in paths:
        candidate = found.setdefault(path_hit.turn, _Candidate(path_hit.turn))
        candidate.path = path_hit
        candidate.score += PATH_SHARE * _KIND_WEIGHT[path_hit.kind] * path_hit.matched / most
        candidate.why.insert(0, f"{path_hit.kind} {path_hit.path}")
    return sorted(found.values(), key=lambda c: (-round(c.score, 9), -len(c.why), -c.turn))


def _hits(snapshot: Snapshot, candidates: Sequence[_Candidate]) -> list[Hit]:
    """Candidates with their session's facts; a turn that this snapshot does not know yet is left out."""
    if not candidates:
        return []
    rows = snapshot.rows(
        "SELECT t.id, s.key, s.session_id, s.agent, s.project, s.title, t.number, t.line, t.kind, t.started_at"
        " FROM turns t JOIN sessions s ON s.key = t.session WHERE list_contains(?, t.id) AND NOT s.hidden",
        [[candidate.turn for candidate in candidates]],
    )
    facts = {row[0]: row for row in rows}
    heads = _heads(snapshot, [c.turn for c in candidates if c.lexical is None or not c.lexical.snippet])
    return [_hit(candidate, facts[candidate.turn], heads) for candidate in candidates if candidate.turn in facts]


def _hit(candidate: _Candidate, facts: Sequence[Any], heads: Mapping[int, str]) -> Hit:
    turn, key, session_id, agent, project, title, number, line, kind, started_at = facts
    lexical = candidate.lexical
    snippet: str = lexical.snippet if lexical and lexical.snippet else heads.get(turn, "")
    spans: tuple[Span, ...] = lexical.spans if lexical and lexical.snippet else ()
    role = "compaction_summary" if kind == "compaction" else "turn"
    path = candidate.path.path if candidate.path else None
    return Hit(
        turn, key, session_id, agent, project, title, number, line, role, utc(started_at), snippet, spans,
        tuple(candidate.why), candidate.score, path,
    )  # fmt: skip


def _heads(snapshot: Snapshot, turns: Sequence[int]) -> dict[int, str]:
    """The beginning of the person's text, for hits that only a path found."""
    if not turns:
        return {}
    rows = snapshot.rows("SELECT id, left(user_text, 2000) FROM turns WHERE list_contains(?, id)", [list(turns)])
    return {turn: _cut(" ".join(text.split())) for turn, text in rows}


def _cut(text: str) -> str:
    return text if len(text) <= _SNIPPET_LENGTH else text[: _SNIPPET_LENGTH - 1].rstrip() + "…"
