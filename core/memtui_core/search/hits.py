"""Hits with their snippets and passages, made from ranked candidates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memtui_core.model import Hit, HitGroup, Passage, Source, Span
from memtui_core.queries.columns import Columns, label, timestamp, title
from memtui_core.queries.names import agent_title, member, of_session, of_turn, project_name, session_title
from memtui_core.search.fusion import Candidate
from memtui_core.search.passages.hit_passages import find_passages
from memtui_core.search.passages.ranking import PassageFinder, TurnPassages
from memtui_core.store.lexicon import Matcher
from memtui_core.store.lexicon.fields import shown_text
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.text.controls import one_line
from memtui_core.text.machine_folders import MACHINE
from memtui_core.text.markdown.plain import plain_line

_SNIPPET_LENGTH = 240
_LONG_PROMPT = 200
"""Characters from which on two sessions do not start with the same prompt by chance."""


@dataclass(frozen=True, slots=True)
class HitDetails:
    """What a hit shows of its turn and session."""

    session: int
    session_id: str
    agent: str
    project: str
    title: str
    whole_title: str
    """The stored title, which the keyword index contains."""
    number: int
    line: int
    kind: str
    started_at: datetime | None
    root: str
    member: str
    machine: str
    agent_title: str
    archived: bool
    session_pinned: bool
    session_tags: tuple[str, ...]
    session_notes: tuple[str, ...]
    pinned: bool
    tags: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HitQuery:
    """What a query looks for in the text of its hits."""

    matcher: Matcher
    rarity: tuple[float, ...]
    """How rare each clause is, 0 to 1."""
    sources: frozenset[Source] | None
    """The kinds of text that count; None for all."""
    path_weight: float
    """The weight of a call on the file of a path hit, compared with all words of the query."""
    quotes: tuple[str, ...] = ()
    """The kinds of facts that are quoted as passages."""


_DETAILS = Columns(
    HitDetails,
    session="s.key",
    session_id=label("s.session_id"),
    agent=label("s.agent"),
    project=project_name(),
    title=session_title(untitled=""),
    whole_title=title("s.title"),
    number="t.number",
    line="t.line",
    kind="t.kind",
    started_at=timestamp("t.started_at"),
    root=label("s.root"),
    member=member(),
    machine=label(MACHINE.format("s")),
    agent_title=agent_title(),
    archived=of_session("archived", False),
    session_pinned=of_session("pinned", False),
    session_tags=of_session("tags", ()),
    session_notes=of_session("notes", ()),
    pinned=of_turn("pinned", False),
    tags=of_turn("tags", ()),
    notes=of_turn("notes", ()),
)


def read_hit_details(snapshot: Snapshot, turns: Sequence[int]) -> dict[int, HitDetails]:
    """The details of turns by their id, without turns that are hidden or not in the snapshot."""
    if not turns:
        return {}
    rest = f"FROM turns t JOIN sessions s ON s.key = t.session WHERE {key_condition('t.id', turns)} AND NOT s.hidden"
    return dict(_DETAILS.select_by(snapshot, "t.id", rest))


class HitMaker:
    """Makes hits of candidates, in their order; those whose passages are not found yet have none."""

    def __init__(
        self,
        snapshot: Snapshot,
        candidates: Sequence[Candidate],
        details: Mapping[int, HitDetails],
        query: HitQuery,
        check_cancelled: Callable[[], object],
    ) -> None:
        self._snapshot = snapshot
        self._candidates = candidates
        self._details = details
        self._query = query
        self._check_cancelled = check_cancelled
        self._finder = PassageFinder(query.matcher, query.rarity, query.sources)
        self._passages: dict[int, TurnPassages] = {}
        self._groups = _groups(snapshot, {details[candidate.turn].session for candidate in candidates})

    def keep_groups(self, count: int) -> Sequence[Candidate]:
        """Keep, and return, all candidates of so many groups, the best."""
        groups = {self._group(candidate) for candidate in self._best(count)}
        self._candidates = [candidate for candidate in self._candidates if self._group(candidate) in groups]
        return self._candidates

    def rank_by_passages(self, count: int, rank: Callable[[Candidate, TurnPassages], float]) -> None:
        """Give candidates new scores, the best `count` with their passages, and sort these by them."""
        first, rest = self._candidates[:count], self._candidates[count:]
        self._find(first)
        for candidate in self._candidates:
            candidate.score = rank(candidate, self._passages.get(candidate.turn, TurnPassages()))
        self._candidates = [*sorted(first, key=lambda candidate: -round(candidate.score, 9)), *rest]

    def find_passages(self, groups: int | None = None, hits: int | None = None) -> None:
        """Find the passages of the best hits of so many groups, or of all hits, but of so many hits at most."""
        self._find(self._best(groups)[:hits])

    def _find(self, candidates: Sequence[Candidate]) -> None:
        missing = [one for one in candidates if one.turn not in self._passages]
        self._passages |= find_passages(
            self._snapshot, missing, self._finder, self._query.path_weight, self._check_cancelled, self._query.quotes
        )

    def _best(self, groups: int | None) -> Sequence[Candidate]:
        if groups is None:
            return self._candidates
        best: dict[int, Candidate] = {}
        for candidate in self._candidates:
            best.setdefault(self._group(candidate), candidate)
        return list(best.values())[:groups]

    def _group(self, candidate: Candidate) -> int:
        return self._groups[self._details[candidate.turn].session]

    def hits(self) -> tuple[Hit, ...]:
        """All hits."""
        return tuple(
            _make_hit(
                candidate,
                self._details[candidate.turn],
                self._passages.get(candidate.turn),
                self._query,
                self._groups,
            )
            for candidate in self._candidates
        )


def group_hits(hits: Sequence[Hit]) -> list[HitGroup]:
    """The hits by `Hit.group`, each group at the place of its best hit."""
    groups: dict[int, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(hit.group, []).append(hit)
    return [HitGroup(best, tuple(others)) for best, *others in groups.values()]


def read_groups(snapshot: Snapshot) -> None:
    """Cache the groups of all sessions, which takes about as long as those of the sessions of one search."""
    _groups(snapshot, [session for (session,) in snapshot.rows("SELECT key FROM sessions WHERE NOT hidden")])


def _groups(snapshot: Snapshot, sessions: Collection[int]) -> dict[int, int]:
    """A number for each session, the same for sessions that start with the same long prompt."""
    groups = snapshot.cached("hit groups", dict[int, int])
    if missing := [session for session in sessions if session not in groups]:
        sql = f"SELECT session, hash(user_text) FROM turns WHERE number = 1 AND length(user_text) >= {_LONG_PROMPT}"
        known = dict(snapshot.rows(f"{sql} AND {key_condition('session', missing)}"))
        groups.update({session: known.get(session, session) for session in missing})
    return groups


def _make_hit(
    candidate: Candidate, details: HitDetails, found: TurnPassages | None, query: HitQuery, groups: Mapping[int, int]
) -> Hit:
    passages = found.passages if found is not None else ()
    best = passages[0] if passages else None
    snippet, spans = _snippet(best, query.matcher) if best is not None else ("", ())
    return Hit(
        turn_id=candidate.turn,
        session=details.session,
        session_id=details.session_id,
        agent=details.agent,
        project=details.project,
        title=details.title,
        turn=details.number,
        line=details.line,
        role="compaction_summary" if details.kind == "compaction" else "turn",
        started_at=details.started_at,
        snippet=snippet,
        spans=spans,
        why=tuple(_reasons(candidate, details, found, query.matcher)),
        notable=tuple(_notable(candidate, details, found, query.matcher)),
        score=candidate.score,
        path=candidate.path.path if candidate.path else None,
        group=groups[details.session],
        passages=passages,
        member=details.member,
        machine=details.machine,
        agent_title=details.agent_title,
        pinned=details.session_pinned or details.pinned,
        archived=details.archived,
        tags=tuple(dict.fromkeys((*details.session_tags, *details.tags))),
        notes=(*details.session_notes, *details.notes),
    )


def _snippet(passage: Passage, matcher: Matcher) -> tuple[str, tuple[Span, ...]]:
    """A passage as one line without markup, and the matches in it; with its markup if only that has matches.

    It ends with `…` if its last sentence goes on.
    """
    text = shown_text(passage.source, passage.excerpt)
    snippet = plain_line(text, _SNIPPET_LENGTH, is_prose=not passage.source.startswith("tool"))
    spans = tuple(matcher.spans(snippet))
    if not spans and (spans := tuple(matcher.spans(whole := one_line(text, _SNIPPET_LENGTH)))):
        return whole, spans
    return snippet, spans


def _reasons(candidate: Candidate, details: HitDetails, found: TurnPassages | None, matcher: Matcher) -> Iterator[str]:
    """Why it is a hit: what the turn did to the file, the words that match, the similarity in meaning."""
    if candidate.path is not None:
        yield f"{candidate.path.kind} {candidate.path.path}"
    if (candidate.lexical is not None or matcher.has_expressions) and found is not None:
        in_title = matcher.clauses_in(details.whole_title) - found.clauses
        for place, clauses in (("words", found.clauses), ("title", in_title)):
            labels = list(dict.fromkeys(matcher.clauses[number].label for number in sorted(clauses)))
            if labels:
                yield f"{place}: {', '.join(labels)}"
    if candidate.semantic is not None:
        yield f"meaning {1 - candidate.semantic.distance:.2f}"
    if candidate.is_annotated:
        yield "yours"


_PLACES: Final[Mapping[Source, str]] = {
    "thinking": "in thinking",
    "tool call": "in a tool call",
    "tool output": "in a tool result",
    "note": "in a note",
    "aside": "in a note",
}
"""Where the best passage is, if it is not in what a person or the agent wrote."""


def _notable(candidate: Candidate, details: HitDetails, found: TurnPassages | None, matcher: Matcher) -> Iterator[str]:
    """What a reader cannot see in the query and the snippet: see `Hit.notable`."""
    if candidate.path is not None:
        yield f"{candidate.path.kind} {candidate.path.path}"
    missing = 0
    if (candidate.lexical is not None or matcher.has_expressions) and found is not None:
        in_turn, in_title = found.clauses, matcher.clauses_in(details.whole_title)
        missing = matcher.size - len(in_turn | in_title)
        if in_title - in_turn and not in_turn:
            yield "in the title"
        elif in_turn and candidate.path is None and (place := _PLACES.get(found.passages[0].source)):
            yield place
        if missing and candidate.lexical is not None:
            yield f"{matcher.size - missing} of {matcher.size} words"
    if candidate.semantic is not None and (candidate.lexical is None or missing):
        yield f"meaning {100 * (1 - candidate.semantic.distance):.0f} %"
    if candidate.is_annotated:
        yield "yours"
