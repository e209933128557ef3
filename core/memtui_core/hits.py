"""Turns that were found to hits: what a person is shown of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui_core.browse import utc
from memtui_core.conversation import conversations
from memtui_core.fusion import Candidate
from memtui_core.lexicon import Shown
from memtui_core.model import Hit, HitGroup
from memtui_core.store.reader import Snapshot
from memtui_core.store.tables import among
from memtui_core.text.controls import label, one_line, title

_SNIPPET_LENGTH = 240
_HEAD = 1000
"""Characters of a text read for a line of it: white space may be most of them."""
_SPEAKER = re.compile(r"\[(?:User|Assistant|Tools)\] ?")
_LONG_PROMPT = 200
"""Characters of a prompt from which on two sessions do not begin with the same one by chance."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a hit says beside its snippet."""

    session: int
    session_id: str
    agent: str
    project: str
    title: str
    number: int
    line: int
    kind: str
    started_at: datetime | None
    root: str
    alike: int


def facts_of(snapshot: Snapshot, turns: Sequence[int]) -> dict[int, Facts]:
    """The facts of turns by their id; a turn that the snapshot does not know, or does not show, is left out."""
    if not turns:
        return {}
    rows = snapshot.rows(
        "SELECT t.id, s.key, s.session_id, s.agent, s.project, s.title, t.number, t.line, t.kind, t.started_at,"
        " s.root FROM turns t JOIN sessions s ON s.key = t.session"
        f" WHERE {among('t.id', turns)} AND NOT s.hidden"
    )
    alike = snapshot.once("alike", lambda: _alike(snapshot))
    return {
        turn: Facts(
            key,
            label(session_id),
            label(agent),
            label(project),
            title(named),
            number,
            line,
            kind,
            utc(started),
            label(root),
            alike.get(key, key),
        )
        for turn, key, session_id, agent, project, named, number, line, kind, started, root in rows
    }


def _alike(snapshot: Snapshot) -> dict[int, int]:
    """The same number for the sessions that began with the same long prompt."""
    return dict(
        snapshot.rows(
            f"SELECT session, hash(user_text) FROM turns WHERE number = 1 AND length(user_text) >= {_LONG_PROMPT}"
        )
    )


def _heads(snapshot: Snapshot, candidates: Sequence[Candidate]) -> dict[int, str]:
    """A line for hits that no word found: the beginning of the nearest chunk, else of the person's text."""
    found: dict[int, str] = {}
    wordless = [candidate for candidate in candidates if candidate.lexical is None]
    by_path = [candidate.turn for candidate in wordless if candidate.meaning is None]
    if by_path:
        rows = snapshot.rows(f"SELECT id, left(user_text, {_HEAD}) FROM turns WHERE {among('id', by_path)}")
        found.update({turn: _cut(text) for turn, text in rows})
    near = {candidate.turn: candidate.meaning.chunk for candidate in wordless if candidate.meaning is not None}
    found.update({turn: _cut(_SPEAKER.sub("", text)) for turn, text in _chunk_texts(snapshot, near).items()})
    return found


def _chunk_texts(snapshot: Snapshot, chunks: Mapping[int, int]) -> dict[int, str]:
    """The beginning of a chunk of each turn: a part of its conversation, or a text of its own in an older index."""
    if not chunks:
        return {}
    places = ", ".join(f"({turn}, {chunk})" for turn, chunk in chunks.items())
    columns = "first, last" if snapshot.version > 2 else "NULL, NULL"
    rows = snapshot.rows(f"SELECT turn, left(text, {_HEAD}), {columns} FROM chunks WHERE (turn, seq) IN ({places})")
    whole = conversations(snapshot.rows, [turn for turn, text, *_ in rows if text is None])
    return {
        turn: whole.get(turn, "")[first : min(last, first + _HEAD)] if text is None else text
        for turn, text, first, last in rows
    }


def hits_of(snapshot: Snapshot, candidates: Sequence[Candidate], facts: Mapping[int, Facts]) -> tuple[Hit, ...]:
    """The hits of candidates, in their order."""
    heads = _heads(snapshot, candidates)
    return tuple(_hit(candidate, facts[candidate.turn], heads) for candidate in candidates)


def _hit(candidate: Candidate, facts: Facts, heads: Mapping[int, str]) -> Hit:
    shown = candidate.lexical.show() if candidate.lexical else Shown()
    path = candidate.path
    why = [name for name in shown.fields if path is None or name != "path"]
    if candidate.meaning is not None:
        why.append("meaning")
    if path is not None:
        why.insert(0, f"{path.kind} {path.path}")
    return Hit(
        turn_id=candidate.turn, session=facts.session, session_id=facts.session_id, agent=facts.agent,
        project=facts.project, title=facts.title, turn=facts.number, line=facts.line,
        role="compaction_summary" if facts.kind == "compaction" else "turn", started_at=facts.started_at,
        snippet=shown.snippet or heads.get(candidate.turn, ""), spans=shown.spans, why=tuple(why),
        score=candidate.score, path=path.path if path else None, alike=facts.alike,
    )  # fmt: skip


def grouped(hits: Sequence[Hit]) -> list[HitGroup]:
    """The hits of each session, and of those that began alike, together; the order is that of their best ones."""
    found: dict[int, list[Hit]] = {}
    for hit in hits:
        found.setdefault(hit.alike, []).append(hit)
    return [HitGroup(best, tuple(others)) for best, *others in found.values()]


def _cut(text: str) -> str:
    return one_line(text, _SNIPPET_LENGTH)
