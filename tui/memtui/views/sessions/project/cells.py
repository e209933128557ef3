"""The rows of an overview: what each is of, and at the right its columns, more of them in a wide page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.cells import cell_len

from memtui.views.sessions.items import SessionGroup
from memtui.views.sessions.project.decisions import decision_mark, decision_note
from memtui.views.sessions.rows import label_parts
from memtui.views.stats.blocks import Spans
from memtui.wording.formatting import age, cut, fitted, number, plural
from memtui.wording.path_text import distinguishing_folders, middle_cut
from memtui.wording.session_state import MARKS
from memtui.wording.usage_text import spending, together
from memtui_core.index.compactions import CompactionRow
from memtui_core.index.files import FileRow
from memtui_core.index.pull_requests import PullRequest
from memtui_core.model import EndKind, Session

if TYPE_CHECKING:
    from memtui_core.index.sessions import MadeDecision, OpenEnd, ProjectOverview
    from memtui_core.index.statistics import Prices

_AGE: Final = 5
_GAP: Final = "  "
_LEAST_NAME: Final = 28
"""Cells that the names of rows keep beside their first column,"""
_LEGIBLE_NAME: Final = 44
"""beside the other counts,"""
_WHOLE_NAME: Final = 72
"""and beside the texts behind them: git and GitHub cut longer titles."""
_LONGEST_QUOTE, _LONGEST_NOTE = 120, 60
"""Cells of the quote of a decision, and of what belongs to it: the other rows of a wide output are as long."""
_MOST: Final = 5
"""A column takes at most one part of so many of the width."""
_ENDS: Final[dict[EndKind, tuple[str, str]]] = {
    "question": (MARKS["waiting"], ""),
    "unanswered": (MARKS["ended"], "no answer:"),
    "interrupted": (MARKS["ended"], "interrupted:"),
    "stopped": (MARKS["ended"], "stopped at"),
    "error": (MARKS["failed"], ""),
}
"""The sign of a session with an open end, and the words before the quote."""
_STYLES: Final = {MARKS["waiting"]: "prompt", MARKS["failed"]: "error"}
"""The styles of signs that need the user."""


class Cells(NamedTuple):
    """What a row says."""

    mark: str
    name: str
    at: datetime | None
    counts: tuple[str, ...]
    """The columns that are right aligned, the most important one first."""
    texts: tuple[str, ...] = ()
    """The columns behind them that are left aligned."""
    rest: str = ""
    """What stays behind a name that is cut."""
    said: str = ""
    """What stands behind the name, and takes the room that the columns leave."""
    is_path: bool = False
    """Whether the name is a path, which loses its middle where there is no room."""


def open_end_cells(open_end: OpenEnd) -> Cells:
    """`? Fix flaky uploads  “Shall I also retry webhooks?”  turn 14  2 h`."""
    end = open_end.end
    mark, words = _ENDS[end.kind]
    said = " ".join(filter(None, (words, f"“{end.quote}”" if end.quote else "")))
    return Cells(mark, open_end.session.title, end.at, (turn_count(end.turn),), said=said)


def turn_count(turn: int) -> str:
    """The column with the turn of a row."""
    return f"turn {number(turn)}"


def session_cells(item: Session | SessionGroup, overview: ProjectOverview, prices: Prices, now: datetime) -> Cells:
    """`● Fix flaky uploads  14 turns  ≈ $0.42  12 min  2 h`; sessions of one title are one row.

    `×9+` says that there may be more than those that were read.
    """
    recent, usage, shows_agent = overview.recent, overview.usage, len(overview.agents) > 1
    sessions = item.sessions if isinstance(item, SessionGroup) else (item,)
    mark, title, count = label_parts(item, None, now, shows_agent=shows_agent)
    tools = sum(session.tool_calls for session in sessions)
    spent = together(spending(usage[session.key], prices) for session in sessions)
    counts = (
        plural(sum(session.turns for session in sessions), "turn"),
        spent.cost,
        spent.time,
        plural(tools, "tool") if tools else "",
    )
    texts = (sessions[0].branch_or_worktree or "", ", ".join(sessions[0].models))
    more = "+" if count and len(recent.rows) < recent.total else ""
    return Cells(mark, title, sessions[0].ended_at, counts, texts, f"{count}{more}")


def decision_cells(one: MadeDecision) -> Cells:
    """`✓ “Half to even”  answer to: Round up? · not: Half up  turn 14  2 h`."""
    quote, note = cut(one.quote, _LONGEST_QUOTE), cut(decision_note(one), _LONGEST_NOTE)
    return Cells(decision_mark(one), f"“{quote}”", one.at, (turn_count(one.turn),), said=note)


def file_cells(file: FileRow) -> Cells:
    """`✎ src/upload.py  in 12 turns  3 sessions  read in 4  2 h`."""
    counts = (
        f"in {plural(file.edited, 'turn')}",
        plural(file.sessions, "session"),
        f"read in {number(file.read)}" if file.read else "",
    )
    return Cells("✎ ", file.path, file.last, counts, is_path=True)


def pull_request_cells(pull_request: PullRequest) -> Cells:
    """`↑ #14 Retry uploads  merged  fix-uploads  ana/shop  2 h`; with the title of the session if it has no other."""
    last, story = pull_request.last, pull_request.story
    texts = (last.branch or "", pull_request.repository)
    return Cells("↑ ", f"#{pull_request.number} {story.title or last.title}", last.at, (story.state or "",), texts)


def compaction_cells(compaction: CompactionRow) -> Cells:
    """`⧉ Fix flaky uploads · 1st of 2  3 lost: your rule  turns 1–14  2 h`."""
    from memtui.views.compactions.review_head import title_mark, turn_span

    turns, mark = turn_span(compaction.first_turn, compaction.last_turn), title_mark(compaction)
    return Cells("⧉ ", compaction.title, compaction.at, (turns,), rest=mark, said=_missing(compaction))


def _missing(compaction: CompactionRow) -> str:
    from memtui.views.compactions.compaction_list import NOT_REVIEWED
    from memtui.views.compactions.kinds import named

    if not compaction.summary_length:
        return "no summary to read"
    if not compaction.is_reviewed:
        return NOT_REVIEWED
    if not compaction.lost:
        return "little is missing"
    return f"{number(len(compaction.lost))} lost: {named(compaction.lost[0])}"


def whole_width(rows: Sequence[Cells]) -> int:
    """The cells in which nothing of some rows is cut."""
    columns = [max(map(cell_len, texts)) for texts in _texts(rows)]
    name, said = _longest(rows)
    return _start(rows) + name + said + sum(len(_GAP) + cells for cells in columns if cells) + len(_GAP) + _AGE


def laid_out(rows: Sequence[Cells], width: int, now: datetime) -> list[Spans]:
    """Rows below each other, with the age at the right, and before it the first columns for which there is room.

    The first one takes cells of the names, the other counts of long names, and the texts of none that is a title. A
    name with nothing behind it takes the room of what stands behind others.
    """
    if not rows:
        return []
    start = _start(rows)
    room = width - start - len(_GAP) - _AGE
    longest, longest_said = _longest(rows)
    widths: list[int] = []
    for texts in _texts(rows):
        cells = min(width // _MOST, max(map(cell_len, texts)))
        needed = cells + len(_GAP) if cells else 0
        kept = _LEAST_NAME if not widths else _LEGIBLE_NAME if len(widths) < len(rows[0].counts) else _WHOLE_NAME
        if room - needed < min(kept, longest):
            break
        room -= needed
        widths.append(cells)
    beside, _ = _longest([row for row in rows if row.said])
    names = min(beside, max(room * 3 // 5, room - longest_said))
    folders = distinguishing_folders(row.name for row in rows if row.is_path)
    lines: list[Spans] = []
    for row in rows:
        taken = names if row.said else room
        own = start - len(_GAP) - cell_len(row.mark) + taken
        if row.is_path:
            name = middle_cut(row.name, own, folders.get(row.name))
        else:
            name = cut(row.name, own - cell_len(row.rest)) + row.rest
        said = fitted(f"{_GAP}{row.said}", room - taken)
        right = f"{said}{_columns(row, widths)}{_GAP}{age(row.at, now):>{_AGE}}"
        mark = row.mark, _STYLES.get(row.mark, "muted")
        lines.append(((_GAP, ""), mark, (fitted(name, own), ""), (right, "muted")))
    return lines


def _texts(rows: Sequence[Cells]) -> Iterator[tuple[str, ...]]:
    """The texts of each column."""
    return zip(*((*row.counts, *row.texts) for row in rows), strict=True)


def _longest(rows: Sequence[Cells]) -> tuple[int, int]:
    """The cells of the longest name, and of the longest text behind a name with the gap before it; 0 for none."""
    said = max((cell_len(row.said) for row in rows), default=0)
    return max((cell_len(row.name + row.rest) for row in rows), default=0), len(_GAP) + said if said else 0


def _start(rows: Sequence[Cells]) -> int:
    """Where the names start."""
    return len(_GAP) + max((cell_len(row.mark) for row in rows), default=0)


def _columns(row: Cells, widths: Sequence[int]) -> str:
    counts = [f"{_GAP}{cut(text, cells):>{cells}}" for text, cells in zip(row.counts, widths, strict=False) if cells]
    left = widths[len(row.counts) :]
    return "".join(
        [*counts, *(_GAP + fitted(text, cells) for text, cells in zip(row.texts, left, strict=False) if cells)]
    )
