"""The rows of a project's page: what a row is of, and at the right its columns, more of them in a wide page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.cells import cell_len
from textual.content import Content

from memtui.views.compactions.compaction_list import NOT_REVIEWED
from memtui.views.compactions.kinds import named
from memtui.views.compactions.review_head import turn_span
from memtui.views.sessions.items import SessionGroup
from memtui.views.sessions.rows import label_parts
from memtui.views.stats.bars import dollars
from memtui.wording.formatting import age, cut, fitted, number, plural
from memtui.wording.path_text import distinguishing_folders, middle_cut
from memtui_core.index.compactions import CompactionRow
from memtui_core.index.files import FileRow
from memtui_core.index.pull_requests import PrRow
from memtui_core.model import EndKind, Session

if TYPE_CHECKING:
    from memtui_core.index.sessions import OpenEnd
    from memtui_core.index.statistics import Prices, SessionUsage

_AGE: Final = 5
_GAP: Final = "  "
_LEAST_NAME: Final = 28
"""Cells that the names of rows keep beside their columns."""
_MOST: Final = 5
"""A column takes at most one part of so many of the width."""


_COUNTS: Final = "0123456789$u"
"""Numbers, amounts, and `under $0.01` begin so."""
_ENDS: Final[dict[EndKind, tuple[str, str]]] = {
    "question": ("? ", ""),
    "unanswered": ("● ", "no answer:"),
    "interrupted": ("● ", "interrupted:"),
    "stopped": ("● ", "stopped at"),
    "error": ("✗ ", ""),
}
"""The sign of a session with an open end, and the words before the quote."""
_STYLES: Final = {"? ": "bold $text-accent", "✗ ": "$text-error"}
"""The styles of signs that need the user."""


class Cells(NamedTuple):
    """What a row says."""

    mark: str
    name: str
    columns: tuple[str, ...]
    """The most important one first; numbers are right aligned, and so are their nouns."""
    at: datetime | None
    said: str = ""
    """What stands below each other behind the names."""
    is_path: bool = False
    """Whether the name is a path, which loses its middle where there is no room."""


def open_end_cells(open_end: OpenEnd) -> Cells:
    """`? Fix flaky uploads  “Shall I also retry webhooks?”  turn 14  2 h`."""
    end = open_end.end
    mark, words = _ENDS[end.kind]
    said = " ".join(filter(None, (words, f"“{end.quote}”" if end.quote else "")))
    return Cells(mark, open_end.session.title, (f"turn {number(end.turn)}",), end.at, said)


def session_cells(
    item: Session | SessionGroup, usage: Mapping[int, SessionUsage], prices: Prices, now: datetime, *, shows_agent: bool
) -> Cells:
    """`● Fix flaky uploads  14 turns  $0.42  2 h`; sessions of one title are one row.

    The cost is left out where a part of it is not known.
    """
    sessions = item.sessions if isinstance(item, SessionGroup) else (item,)
    mark, title, count = label_parts(item, None, now, shows_agent=shows_agent)
    tools = sum(session.tool_calls for session in sessions)
    costs = [usage[session.key].cost(prices) for session in sessions if session.key in usage]
    whole = [cost.dollars for cost in costs if cost.is_whole and cost.dollars is not None]
    columns = (
        plural(sum(session.turns for session in sessions), "turn"),
        dollars(sum(whole)) if len(whole) == len(sessions) else "",
        plural(tools, "tool") if tools else "",
        sessions[0].branch_or_worktree or "",
        ", ".join(sessions[0].models),
    )
    return Cells(mark, title + count, columns, sessions[0].ended_at)


def file_cells(file: FileRow) -> Cells:
    """`✎ src/upload.py  12 edits  3 sessions  2 h`."""
    columns = (
        plural(file.edited, "edit"),
        plural(file.sessions, "session"),
        plural(file.read, "read") if file.read else "",
    )
    return Cells("✎ ", file.path, columns, file.last, is_path=True)


def pull_request_cells(pull_request: PrRow) -> Cells:
    """`↑ #14 Fix flaky uploads  fix-uploads  ana/shop  2 h`."""
    columns = (pull_request.branch or "", pull_request.repository)
    return Cells("↑ ", f"#{pull_request.number} {pull_request.title}", columns, pull_request.at)


def compaction_cells(compaction: CompactionRow) -> Cells:
    """`⧉ Fix flaky uploads  3 lost: your rule  turns 1–14  2 h`."""
    turns = turn_span(compaction.first_turn, compaction.last_turn)
    return Cells("⧉ ", compaction.title, (turns,), compaction.at, _missing(compaction))


def _missing(compaction: CompactionRow) -> str:
    if not compaction.summary_length:
        return "no summary"
    if not compaction.is_reviewed:
        return NOT_REVIEWED
    if not compaction.lost:
        return "little is missing"
    return f"{number(len(compaction.lost))} lost: {named(compaction.lost[0])}"


def contents(rows: Sequence[Cells], width: int, now: datetime) -> list[Content]:
    """Rows below each other, with the age at the right, and before it the first columns for which there is room."""
    room = width - max((cell_len(f"{_GAP}{row.mark}") for row in rows), default=0) - len(_GAP) - _AGE
    least = min(_LEAST_NAME, max((cell_len(row.name) for row in rows), default=0))
    widths: list[int] = []
    for texts in zip(*(row.columns for row in rows), strict=True):
        cells = min(width // _MOST, max(map(cell_len, texts)))
        if room - (needed := cells + len(_GAP) if cells else 0) < least:
            break
        room -= needed
        widths.append(cells)
    names = room
    if any(row.said for row in rows):
        names = min(max(cell_len(row.name) for row in rows), room * 2 // 5)
    folders = distinguishing_folders(row.name for row in rows if row.is_path)
    shown = (middle_cut(row.name, names, folders.get(row.name)) if row.is_path else row.name for row in rows)
    return [
        _content(row, fitted(name, names), room - names, widths, now) for row, name in zip(rows, shown, strict=True)
    ]


def _content(row: Cells, name: str, said_width: int, widths: Iterable[int], now: datetime) -> Content:
    said = fitted(f"{_GAP}{row.said}", said_width)
    columns = "".join(_GAP + _aligned(text, cells) for text, cells in zip(row.columns, widths, strict=False) if cells)
    return Content.assemble(
        f"{_GAP}",
        (row.mark, _STYLES.get(row.mark, "dim")),
        name,
        (f"{said}{columns}{_GAP}{age(row.at, now):>{_AGE}}", "dim"),
    )


def _aligned(text: str, width: int) -> str:
    """A column: counts stand at the right, texts at the left."""
    shown = cut(text, width)
    return " " * (width - cell_len(shown)) + shown if text[:1] in _COUNTS else fitted(text, width)
