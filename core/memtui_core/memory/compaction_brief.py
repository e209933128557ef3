"""The most important things that the summary of a compaction lacks, as a short cited text for the agent.

A hook asks for it before a tool call, so nothing heavy is imported if the review is stored, and a review of a long
session is left to the indexer.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import Final, NamedTuple

from memtui_core.queries.main_items import MAIN_ITEMS, RULES
from memtui_core.store.marks.review_marks import row_key
from memtui_core.store.tables import RowSource, key_condition
from memtui_core.text.controls import one_line

MAX_BYTES: Final = 2000
MOST_FILES: Final = 12
"""Files that are named at most: what a session opened long before it may not need any more."""
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
_LONGEST_MADE: Final = 1_000_000
"""Characters before a compaction up to which its review is made at once: they take about a second."""
_LAST: Final = (
    "SELECT c.session, c.segment, c.source, c.line, r.line IS NOT NULL"
    " FROM compactions c JOIN sessions s ON s.key = c.session"
    " JOIN turns t ON t.session = c.session AND t.source = c.source AND t.segment = c.segment AND t.kind = 'compaction'"
    f" LEFT JOIN reviews r ON r.source = c.source AND r.line = c.line AND r.rules >= {RULES}"
    " WHERE s.session_id = ? AND c.line >= ? ORDER BY c.at_time DESC NULLS LAST, c.line DESC LIMIT 1"
)
_LENGTH: Final = (
    "SELECT coalesce(sum(length(b.text)), 0) FROM turns t JOIN blocks b ON b.turn = t.id"
    " WHERE t.session = ? AND t.source = ? AND t.segment < ?"
)
_SUMMARY: Final = (
    "SELECT b.text FROM turns t JOIN blocks b ON b.turn = t.id"
    " WHERE t.session = ? AND t.source = ? AND t.segment = ? AND t.kind = 'compaction'"
)
_OPENED: Final = (
    "SELECT m.path FROM file_mentions m JOIN turns t ON t.id = m.turn WHERE m.session = ? AND t.source = ?"
    " AND t.segment < ? AND NOT m.is_dir AND m.kind IN ('edited', 'read')"
    " GROUP BY m.path ORDER BY bool_or(m.kind = 'edited') DESC, max(m.line) DESC, m.path"
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


def last_brief(source: RowSource, session_id: str, first_line: int, known: Container[str] = ()) -> str | None:
    """The `brief_text` of a session's last compaction from a line of its transcript on.

    None if the index has no such compaction, or if its review is not stored and the session is too long to make it now.
    """
    last = source.rows(_LAST, [session_id, first_line])
    if not last:
        return None
    [(session, segment, own_source, line, is_stored)] = last
    if is_stored:
        return brief_text((BriefItem(*row) for row in source.rows(_ITEMS, [own_source, line])), known)
    [(length,)] = source.rows(_LENGTH, [session, own_source, segment])
    return None if length > _LONGEST_MADE else brief_text(_made_items(source, session, (own_source, line)), known)


def unnamed_files(source: RowSource, session_id: str, first_line: int, most: int) -> str:
    """The files that a session opened before its last compaction and that its summary does not name: see `unnamed`.

    Those that it edited come first, and of these those that it opened last. Empty if the index has no such compaction.
    """
    last = source.rows(_LAST, [session_id, first_line])
    if not last:
        return ""
    [(session, segment, own_source, _, _)] = last
    summary = "\n".join(text for (text,) in source.rows(_SUMMARY, [session, own_source, segment]))
    return unnamed(summary, (path for (path,) in source.rows(_OPENED, [session, own_source, segment])), most)


def unnamed(summary: str, paths: Iterable[str], most: int) -> str:
    """The first paths that a summary does not name, one a line, in at most `most` bytes and MOST_FILES lines."""
    lines: list[str] = []
    for path in paths:
        if names_file(summary, path):
            continue
        lines.append(f"- {one_line(path)}")
        if len(lines) > MOST_FILES or len("\n".join(lines).encode()) > most:
            lines.pop()
            break
    return "\n".join(lines)


def names_file(text: str, path: str) -> bool:
    """Whether a text names a file: by its path, or by its name as a word."""
    name = re.escape(path.rpartition("/")[2])
    return path in text or re.search(rf"(?<![\w.-]){name}(?![\w-])", text) is not None


def _made_items(source: RowSource, session: int, place: tuple[int, int]) -> Iterable[BriefItem]:
    """The main items of a review that is made now."""
    from memtui_core.compaction.build import SessionReviews
    from memtui_core.compaction.history import boundaries
    from memtui_core.compaction.model import main_items

    reviews = SessionReviews(source)
    made = [reviews.items(one) for one in boundaries(source, session) if (one.source, one.line) == place]
    items = [item for lists in made for item in main_items(lists.lost)]
    ids = dict(
        source.rows(f"SELECT key, session_id FROM sessions WHERE {key_condition('key', {i.session for i in items})}")
    )
    return [BriefItem(item.kind, item.text, ids[item.session], item.turn) for item in items if item.session in ids]
