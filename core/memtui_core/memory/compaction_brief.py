"""The most important things that the summary of a compaction lacks, as a short cited text for the agent.

A hook asks for it before a tool call, so only the stored review is read, and nothing heavy is imported.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Final, NamedTuple

from memtui_core.queries.main_items import MAIN_ITEMS
from memtui_core.store.review_marks import row_key
from memtui_core.store.tables import RowSource
from memtui_core.text.controls import one_line

MAX_BYTES: Final = 2000
_MAX_TEXT: Final = 300
"""Characters of one item."""
_HEADINGS: Final[dict[str, str]] = {
    "contradiction": "check what the summary says",
    "check": "open check",
    "correction": "the user said",
    "rule": "the user said",
    "answer": "the user answered",
    "requirement": "requirement",
}
"""What stands before an item, by its kind. Items of other kinds are left out: an agent takes what it gets for true, and
much of what it said itself does not hold any more."""
_LAST: Final = (
    "SELECT c.source, c.line FROM compactions c JOIN sessions s ON s.key = c.session"
    " JOIN reviews r ON r.source = c.source AND r.line = c.line"
    " WHERE s.session_id = ? ORDER BY c.at_time DESC NULLS LAST, c.line DESC LIMIT 1"
)
_ITEMS: Final = (
    "SELECT i.kind, i.text, s.session_id, i.turn FROM review_items i JOIN sessions s ON s.key = i.session"
    f" WHERE {MAIN_ITEMS} AND i.source = ? AND i.line = ? ORDER BY i.rank"
)


class BriefItem(NamedTuple):
    """Something that a summary lacks, and where it was said."""

    kind: str
    text: str
    session_id: str
    turn: int


def brief_line(item: BriefItem) -> str:
    """An item on one line with its `SESSION:TURN`."""
    text = one_line(item.text, _MAX_TEXT)
    return f"- {_HEADINGS.get(item.kind, item.kind)}: {text} [{one_line(item.session_id, 80)}:{item.turn}]"


def brief_text(items: Iterable[BriefItem], known: Container[str] = ()) -> str:
    """The items that an agent gets, one a line, in order; empty if there are none.

    These are what the summary says wrongly, open checks, what the user said, and requirements, without those whose
    `row_key` is `known`. At most MAX_BYTES bytes, and whole items only.
    """
    lines: list[str] = []
    size = 0
    for item in items:
        if item.kind not in _HEADINGS or row_key(item.session_id, item.text) in known:
            continue
        line = brief_line(item)
        size += 1 + len(line.encode())
        if size > MAX_BYTES:
            break
        lines.append(line)
    return "\n".join(lines)


def last_brief(source: RowSource, session_id: str, known: Container[str] = ()) -> tuple[int, str] | None:
    """The line of a session's last reviewed compaction, and its `brief_text`; None if it has none."""
    # An index that an older memtui wrote has no reviews.
    if not source.rows("SELECT 1 FROM duckdb_tables() WHERE table_name = 'reviews'"):
        return None
    last = source.rows(_LAST, [session_id])
    if not last:
        return None
    return last[0][1], brief_text((BriefItem(*row) for row in source.rows(_ITEMS, list(last[0]))), known)
