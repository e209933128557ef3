"""Compactions of one session, and of all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memtui_core.model import Compaction, Project
from memtui_core.queries.columns import Column, Columns, label, timestamp
from memtui_core.queries.main_items import MAIN_ITEMS, RULES
from memtui_core.queries.names import project_name, session_title
from memtui_core.queries.sessions import in_project
from memtui_core.store.snapshot.reader import Snapshot


@dataclass(frozen=True, slots=True)
class LostItem:
    """Something that a summary lacks, as the list of compactions names it."""

    kind: str
    text: str
    session: int
    """`Session.key` of the session in which it was said: a fork begins with turns of another one."""


@dataclass(frozen=True, slots=True)
class CompactionRow:
    """A compaction in the list over all sessions."""

    session: int
    turn: int | None
    """Number of the summary's turn; None if there is only the boundary."""
    title: str
    project: str
    at: datetime | None
    trigger: str | None
    tokens_before: int | None
    turns_before: int
    """Turns of the segment that the summary replaced."""
    seconds: float | None
    """Duration of that segment; None if it has no times."""
    summary_length: int
    """Characters of the summary; 0 while only the boundary is written."""
    is_reviewed: bool
    """Whether the summary was compared with what was before; if not, `lost` is empty because it is not known."""
    lost: tuple[LostItem, ...]
    """What the summary lacks and what matters, the most important one first; at most `main_items.MOST_MAIN`."""
    source: int
    line: int
    """The source, and the 0-based line in it that has the boundary."""
    first_turn: int | None = None
    last_turn: int | None = None
    """Numbers of the first and the last turn of that segment; None if it has no turns."""
    number: int = 1
    """Its number among the compactions of its session, from 1,"""
    count: int = 1
    """and how many these are."""
    place: int | None = None
    """Number of the turn at which it stands: `turn`, or else the first one after it, or the last one before it."""


SUMMARY_TURN = (
    "(SELECT min(t.number) FROM turns t WHERE t.session = c.session AND t.source = c.source"
    " AND t.segment = c.segment AND t.kind = 'compaction')"
)
"""The number of the summary's turn of a compaction `c`; NULL while only the boundary is written."""
PLACE = (
    f"coalesce({SUMMARY_TURN}, (SELECT min(t.number) FROM turns t WHERE t.session = c.session AND t.source = c.source"
    " AND t.segment = c.segment), (SELECT max(t.number) FROM turns t WHERE t.session = c.session"
    " AND t.source = c.source AND t.segment < c.segment))"
)
"""The number of the turn at which a compaction `c` stands."""
_OTHERS = "FROM compactions o WHERE o.session = c.session"
NUMBER = f"(SELECT count(*) {_OTHERS} AND (o.source < c.source OR o.source = c.source AND o.line <= c.line))"
"""The number of a compaction `c` among those of its session, from 1."""
COUNT = f"(SELECT count(*) {_OTHERS})"
"""How many compactions the session of a compaction `c` has."""
_COMPACTION = Columns(
    Compaction,
    session="c.session",
    line="c.line",
    at=timestamp("c.at_time"),
    trigger=label("c.trigger"),
    tokens_before="c.tokens_before",
    turn=SUMMARY_TURN,
)
_REPLACED = "FROM turns b WHERE b.session = c.session AND b.source = c.source AND b.segment = c.segment - 1"
_COMPACTION_ROW = Columns(
    CompactionRow,
    session="c.session",
    turn="min(t.number)",
    title=session_title("c.session"),
    project=project_name("c.session"),
    at=timestamp("credible(c.at_time)"),
    trigger=label("c.trigger"),
    tokens_before="c.tokens_before",
    turns_before=f"(SELECT count(*) {_REPLACED})",
    seconds=f"(SELECT epoch(max(b.ended_at) - min(b.started_at)) {_REPLACED})",
    summary_length="coalesce(max(length(t.user_text)), 0)",
    is_reviewed="count(r.line) > 0",
    lost=Column("any_value(r.lost)", lambda items: tuple(LostItem(**item) for item in items), ()),
    source="c.source",
    line="c.line",
    first_turn=f"(SELECT min(b.number) {_REPLACED})",
    last_turn=f"(SELECT max(b.number) {_REPLACED})",
    number=NUMBER,
    count=COUNT,
    place=PLACE,
)
_LOST_ITEM = "{'kind': i.kind, 'text': i.text, 'session': i.session}"
_REVIEWS = (
    f"(SELECT v.source, v.line, list({_LOST_ITEM} ORDER BY i.rank) FILTER (i.kind IS NOT NULL) AS lost FROM reviews v"
    f" LEFT JOIN review_items i ON i.source = v.source AND i.line = v.line AND {MAIN_ITEMS}"
    f" WHERE v.rules >= {RULES} GROUP BY v.source, v.line)"
)
_HAS_WORD = " AND contains(lower(concat_ws(' ', s.title, s.project, c.trigger, t.user_text)), ?)"


def session_compactions(snapshot: Snapshot, session: int) -> list[Compaction]:
    """The compactions of a session in order."""
    return _COMPACTION.select(snapshot, "FROM compactions c WHERE c.session = ? ORDER BY c.source, c.line", [session])


def compactions_of_all(snapshot: Snapshot) -> list[Compaction]:
    """The compactions of all sessions."""
    return _COMPACTION.select(snapshot, "FROM compactions c ORDER BY c.session, c.source, c.line")


def list_compactions(snapshot: Snapshot, pattern: str = "", project: Project | None = None) -> list[CompactionRow]:
    """Every compaction, the newest first; with a pattern those whose title, project, trigger or summary match.

    A compaction matches if it contains every word of the pattern, in any case and order. With a project, only those of
    its sessions.
    """
    words = pattern.split()
    among, parameters = in_project(project) if project is not None else ("TRUE", [])
    return _COMPACTION_ROW.select(
        snapshot,
        "FROM compactions c JOIN sessions s ON s.key = c.session LEFT JOIN turns t"
        " ON t.session = c.session AND t.source = c.source AND t.segment = c.segment AND t.kind = 'compaction'"
        f" LEFT JOIN {_REVIEWS} r ON r.source = c.source AND r.line = c.line"
        f" WHERE NOT s.hidden AND {among}{_HAS_WORD * len(words)}"
        " GROUP BY c.session, c.source, c.line, c.segment, c.at_time, c.trigger, c.tokens_before"
        " ORDER BY credible(c.at_time) DESC NULLS LAST, c.session, c.line DESC",
        [*parameters, *(word.lower() for word in words)],
    )
