"""The rows of a project's page: what a row is of, and at the right its columns, more of them in a wide page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from rich.cells import cell_len
from textual.content import Content

from memtui.views.compactions.compaction_list import NOT_REVIEWED
from memtui.views.compactions.kinds import named
from memtui.views.compactions.review_head import turn_span
from memtui.views.sessions.items import SessionGroup
from memtui.views.sessions.rows import label_parts
from memtui.wording.formatting import age, cut, fitted, number, plural
from memtui.wording.path_text import middle_cut
from memtui_core.index.compactions import CompactionRow
from memtui_core.index.files import FileRow
from memtui_core.index.pull_requests import PrRow
from memtui_core.model import Session

_AGE: Final = 5
_GAP: Final = "  "
_LEAST_NAME: Final = 28
"""Cells that the names of rows keep beside their columns."""
_MOST: Final = 5
"""A column takes at most one part of so many of the width."""


class Cells(NamedTuple):
    """What a row says."""

    mark: str
    name: str
    columns: tuple[str, ...]
    """The most important one first; numbers are right aligned, and so are their nouns."""
    at: datetime | None
    is_path: bool = False
    """Whether the name is a path, which loses its middle where there is no room."""


def session_cells(item: Session | SessionGroup, now: datetime, *, shows_agent: bool) -> Cells:
    """`● Fix flaky uploads  14 turns  2 h`; sessions of one title are one row."""
    sessions = item.sessions if isinstance(item, SessionGroup) else (item,)
    mark, title, count = label_parts(item, None, now, shows_agent=shows_agent)
    tools = sum(session.tool_calls for session in sessions)
    columns = (
        plural(sum(session.turns for session in sessions), "turn"),
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
    columns = (_missing(compaction), turn_span(compaction.first_turn, compaction.last_turn))
    return Cells("⧉ ", compaction.title, columns, compaction.at)


def _missing(compaction: CompactionRow) -> str:
    if not compaction.summary_length:
        return "no summary"
    if not compaction.is_reviewed:
        return NOT_REVIEWED
    if not compaction.lost:
        return "little is missing"
    return f"{number(len(compaction.lost))} lost: {named(compaction.lost[0])}"


def contents(rows: Sequence[Cells], width: int, now: datetime) -> list[Content]:
    """Rows below each other, each with its age at the right, and before it the first columns for which there is room."""
    room = width - max((cell_len(f"{_GAP}{row.mark}") for row in rows), default=0) - len(_GAP) - _AGE
    least = min(_LEAST_NAME, max((cell_len(row.name) for row in rows), default=0))
    widths: list[int] = []
    for texts in zip(*(row.columns for row in rows), strict=True):
        cells = min(width // _MOST, max(map(cell_len, texts)))
        if room - (needed := cells + len(_GAP) if cells else 0) < least:
            break
        room -= needed
        widths.append(cells)
    return [_content(row, room, widths, now) for row in rows]


def _content(row: Cells, name_width: int, widths: Iterable[int], now: datetime) -> Content:
    name = middle_cut(row.name, name_width) if row.is_path else row.name
    columns = "".join(_GAP + _aligned(text, cells) for text, cells in zip(row.columns, widths, strict=False) if cells)
    return Content.assemble(
        (f"{_GAP}{row.mark}", "dim"), fitted(name, name_width), (f"{columns}{_GAP}{age(row.at, now):>{_AGE}}", "dim")
    )


def _aligned(text: str, width: int) -> str:
    """A column: counts stand at the right, texts at the left."""
    shown = cut(text, width)
    return " " * (width - cell_len(shown)) + shown if text[:1].isdigit() else fitted(text, width)
