"""A query to ranked hits: keywords and file paths side by side, merged by score."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memtui_core.browse import utc
from memtui_core.lexicon import LexicalHit, Lexicon, Shown
from memtui_core.model import Hit, SearchResult
from memtui_core.path_search import PathHit, search_by_file_path
from memtui_core.query import Query, parse
from memtui_core.store.reader import Snapshot, among

_KEYWORDS = 0.6
"""What the best keyword hit counts. Less than one kind of touch counts more than the next."""
_TOUCHES: Mapping[str, float] = {"edited": 2.0, "read": 1.3, "mentioned": 0.65}
"""What a turn counts that touched every file asked for: it stands before one that only says the file's name."""
_SNIPPET_LENGTH = 240
_HEAD = 1000
"""Characters of a text read for a line of it: white space may be most of them."""
_SESSION_FILTERS = {"project": "s.project", "agent": "s.agent", "session": "s.session_id"}


_SPARE = 10
"""Candidates beyond the limit: the lexicon may hold turns that this snapshot does not know."""


@dataclass(slots=True)
class _Candidate:
    turn: int
    score: float = 0.0
    lexical: LexicalHit | None = None
    path: PathHit | None = None

    def order(self) -> tuple[float, bool, int]:
        """By score, then what both engines found, then the newer turn."""
        return (-round(self.score, 9), self.lexical is None or self.path is None, -self.turn)


def search(snapshot: Snapshot, lexicon: Lexicon, text: str, limit: int, *, live: bool = False) -> SearchResult:
    """The best `limit` turns. Any text is a query: none raises (SPEC S3.7)."""
    started = time.perf_counter()
    query = parse(text)
    sessions = _narrowed(snapshot, query)
    wanted = limit + _SPARE
    lexical = lexicon.search(query, wanted, live=live, sessions=sessions)
    paths = search_by_file_path(snapshot, _paths(query), wanted, sessions)
    candidates = _merge(lexical, paths)[:wanted]
    facts = _facts(snapshot, [candidate.turn for candidate in candidates])
    known = [candidate for candidate in candidates if candidate.turn in facts]
    heads = _heads(snapshot, [candidate.turn for candidate in known[:limit] if candidate.lexical is None])
    hits = tuple(_hit(candidate, facts[candidate.turn], heads) for candidate in known[:limit])
    elapsed = (time.perf_counter() - started) * 1000
    words = (*query.phrases, *query.terms)
    return SearchResult(text, hits, len(known) > limit, elapsed, _note(query), words)


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
    """Normalise each engine's scores by its best and add them."""
    found: dict[int, _Candidate] = {}
    best = max((hit.score for hit in lexical), default=0.0) or 1.0
    for hit in lexical:
        candidate = found.setdefault(hit.turn, _Candidate(hit.turn))
        candidate.lexical = hit
        candidate.score += _KEYWORDS * hit.score / best
    most = max((hit.matched for hit in paths), default=1)
    for path_hit in paths:
        candidate = found.setdefault(path_hit.turn, _Candidate(path_hit.turn))
        candidate.path = path_hit
        candidate.score += _TOUCHES[path_hit.kind] * path_hit.matched / most
    return sorted(found.values(), key=_Candidate.order)


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


def _heads(snapshot: Snapshot, turns: Sequence[int]) -> dict[int, str]:
    """The beginning of the person's text, for hits that only a path found."""
    if not turns:
        return {}
    rows = snapshot.rows(f"SELECT id, left(user_text, {_HEAD}) FROM turns WHERE {among('id', turns)}")
    return {turn: _cut(text) for turn, text in rows}


def _hit(candidate: _Candidate, facts: Sequence[Any], heads: Mapping[int, str]) -> Hit:
    turn, key, session_id, agent, project, title, number, line, kind, started_at = facts
    shown = candidate.lexical.show() if candidate.lexical else Shown()
    path = candidate.path
    why = [name for name in shown.fields if path is None or name != "path"]
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
