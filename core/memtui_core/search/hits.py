"""Turns that were found to hits: what a person is shown of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui_core.lexicon import Matcher
from memtui_core.lexicon.block_text import shown_text
from memtui_core.model import Hit, HitGroup, Passage, Source
from memtui_core.queries.transcripts import utc
from memtui_core.search.evidence import evidence_of
from memtui_core.search.fusion import Candidate
from memtui_core.search.passages import Evidence, PassageFinder
from memtui_core.store.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.text.controls import label, one_line, title

_SNIPPET_LENGTH = 240
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
    length: int
    """Characters of the person's text."""
    alike: int


@dataclass(frozen=True, slots=True)
class Asked:
    """What a query asks of the text of a turn."""

    matcher: Matcher
    rarity: tuple[float, ...]
    """How rare each of its clauses is."""
    sources: frozenset[Source] | None
    """The kinds of text that count; None for all."""
    for_paths: float
    """What the call on a file of it is worth beside all of its words."""


def facts_of(snapshot: Snapshot, turns: Sequence[int]) -> dict[int, Facts]:
    """The facts of turns by their id; a turn that the snapshot does not know, or does not show, is left out."""
    if not turns:
        return {}
    rows = snapshot.rows(
        "SELECT t.id, s.key, s.session_id, s.agent, s.project, s.title, t.number, t.line, t.kind, t.started_at,"
        " s.root, coalesce(length(t.user_text), 0) FROM turns t JOIN sessions s ON s.key = t.session"
        f" WHERE {key_condition('t.id', turns)} AND NOT s.hidden"
    )
    alike = snapshot.cached("alike", lambda: _alike(snapshot))
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
            length,
            alike.get(key, key),
        )
        for turn, key, session_id, agent, project, named, number, line, kind, started, root, length in rows
    }


def _alike(snapshot: Snapshot) -> dict[int, int]:
    """The same number for the sessions that began with the same long prompt."""
    return dict(
        snapshot.rows(
            f"SELECT session, hash(user_text) FROM turns WHERE number = 1 AND length(user_text) >= {_LONG_PROMPT}"
        )
    )


def hits_of(
    snapshot: Snapshot, candidates: Sequence[Candidate], facts: Mapping[int, Facts], asked: Asked
) -> tuple[Hit, ...]:
    """The hits of candidates, in their order."""
    finder = PassageFinder(asked.matcher, asked.rarity, asked.sources)
    lengths = {turn: known.length for turn, known in facts.items()}
    evidence = evidence_of(snapshot, candidates, lengths, finder, asked.for_paths)
    return tuple(_hit(candidate, facts[candidate.turn], evidence[candidate.turn], asked) for candidate in candidates)


def _hit(candidate: Candidate, facts: Facts, evidence: Evidence, asked: Asked) -> Hit:
    path = candidate.path
    snippet = _snippet(evidence.passages[0]) if evidence.passages else ""
    return Hit(
        turn_id=candidate.turn, session=facts.session, session_id=facts.session_id, agent=facts.agent,
        project=facts.project, title=facts.title, turn=facts.number, line=facts.line,
        role="compaction_summary" if facts.kind == "compaction" else "turn", started_at=facts.started_at,
        snippet=snippet, spans=tuple(asked.matcher.spans(snippet)), why=tuple(_why(candidate, facts, evidence, asked)),
        score=candidate.score, path=path.path if path else None, alike=facts.alike, passages=evidence.passages,
    )  # fmt: skip


def _why(candidate: Candidate, facts: Facts, evidence: Evidence, asked: Asked) -> Iterator[str]:
    """The reasons in words: what was done to the file, which words, how near in meaning."""
    if candidate.path is not None:
        yield f"{candidate.path.kind} {candidate.path.path}"
    if candidate.lexical is not None:
        in_title = asked.matcher.clauses_in(facts.title) - evidence.clauses
        for name, clauses in (("words", evidence.clauses), ("title", in_title)):
            labels = list(dict.fromkeys(asked.matcher.clauses[number].label for number in sorted(clauses)))
            if labels:
                yield f"{name}: {', '.join(labels)}"
    if candidate.meaning is not None:
        yield f"meaning {1 - candidate.meaning.distance:.2f}"


def _snippet(passage: Passage) -> str:
    """A passage on one line."""
    return _cut(shown_text(passage.source, passage.text))


def grouped(hits: Sequence[Hit]) -> list[HitGroup]:
    """The hits of each session, and of those that began alike, together; the order is that of their best ones."""
    found: dict[int, list[Hit]] = {}
    for hit in hits:
        found.setdefault(hit.alike, []).append(hit)
    return [HitGroup(best, tuple(others)) for best, *others in found.values()]


def _cut(text: str) -> str:
    return one_line(text, _SNIPPET_LENGTH)
