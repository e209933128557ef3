"""The list of decisions, newest first: each a quote with its turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from memtui_core.compaction.statements.decided import DecisionWay
from memtui_core.memory.decisions.replaced import later_decisions
from memtui_core.model import Project
from memtui_core.queries.columns import Columns, label, timestamp
from memtui_core.queries.names import project_name, session_title
from memtui_core.queries.sessions import in_project, unless_archived
from memtui_core.queries.turns import IS_DECISION
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.controls import one_line


@dataclass(frozen=True, slots=True)
class LaterDecision:
    """A decision that may have replaced an earlier one."""

    session: int
    session_id: str
    turn: int
    quote: str


@dataclass(frozen=True, slots=True)
class MadeDecision:
    """Something that was decided: the words of the user, what they chose, or the plan that they approved."""

    session: int
    session_id: str
    agent: str
    project: str
    title: str
    turn: int
    """Number of the turn."""
    seq: int
    """`Decision.seq`: the block that has the quote."""
    at: datetime | None
    way: DecisionWay
    excludes: bool
    """Whether it says what shall not be."""
    quote: str
    """The user's words, the chosen option, or the title of the approved plan; on one line."""
    about: str = ""
    """The question of an answer, the call that was refused, or the title of the plan that was sent back."""
    others: tuple[str, ...] = ()
    """The options that were not chosen, or what an approved plan decides."""
    later: LaterDecision | None = None
    """The first decision after it in its project that may have replaced it."""


_FACT = Columns(
    MadeDecision,
    session="f.session",
    session_id=label("s.session_id"),
    agent=label("s.agent"),
    project=project_name("s.key"),
    title=session_title("s.key"),
    turn="t.number",
    seq="f.seq",
    at=timestamp("credible(coalesce(b.at_time, t.started_at))"),
    way=label("f.name"),
    excludes="f.number = 1",
    quote="f.text",
)
"""A row of `facts`, with its session and turn; its quote is the whole text of the fact."""


def read_decisions(
    snapshot: Snapshot, project: Project | None = None, query: str = "", since: datetime | None = None
) -> list[MadeDecision]:
    """What was decided in a project, or in all, the newest first; archived sessions are left out.

    With a query, those that contain all of its words, in any case; with `since`, those from that time on.
    """
    where, parameters = in_project(project) if project is not None else ("TRUE", [])
    listed = f" AND {condition}" if (condition := unless_archived(snapshot)) else ""
    facts = _FACT.select(
        snapshot,
        "FROM facts f JOIN turns t ON t.id = f.turn JOIN sessions s ON s.key = f.session"
        " LEFT JOIN blocks b ON b.turn = f.turn AND b.seq = f.seq"
        f" WHERE NOT s.hidden AND {IS_DECISION} AND {where}{listed} ORDER BY t.id, f.seq, f.text",
        parameters,
    )
    words = query.casefold().split()
    made = sorted(_joined(facts), key=_time)
    for earlier, later in list(later_decisions(made)):
        one = made[later]
        replacement = LaterDecision(one.session, one.session_id, one.turn, one.quote)
        made[earlier] = replace(made[earlier], later=replacement)
    return [
        one
        for one in reversed(made)
        if (since is None or (one.at is not None and one.at >= since)) and _has(one, words)
    ]


def _time(one: MadeDecision) -> tuple[float, int, int, int]:
    return one.at.timestamp() if one.at is not None else 0.0, one.session, one.turn, one.seq


def _has(one: MadeDecision, words: Sequence[str]) -> bool:
    text = "\n".join((one.quote, one.about, *one.others)).casefold()
    return all(word in text for word in words)


def _joined(facts: Sequence[MadeDecision]) -> Iterator[MadeDecision]:
    """The decisions of facts: the options that were not chosen belong to the answer to their question."""
    for _, of_block in groupby(facts, key=lambda fact: (fact.session, fact.turn, fact.seq)):
        rows = list(of_block)
        options = [_parts(fact) for fact in rows if fact.way == "option"]
        for fact in rows:
            if fact.way != "option":
                yield _decision(fact, options)


def _decision(fact: MadeDecision, options: Sequence[Sequence[str]]) -> MadeDecision:
    quote, *rest = _parts(fact)
    about, others = (rest[0] if rest else ""), tuple(rest[1:])
    if fact.way == "answer":
        others = tuple(option for option, *question in options if question == rest)
    elif fact.way == "plan" and not fact.excludes:
        about, others = "", tuple(rest)
    return replace(fact, quote=quote, about=about, others=others)


def _parts(fact: MadeDecision) -> list[str]:
    return [one_line(part) for part in fact.quote.split("\n")]
