"""The list of compactions, with what each summary replaced and what it lacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from textual.content import Content

from memtui.keys.declarations import Key, keys
from memtui.views.base import NEWEST
from memtui.views.compactions.kinds import named
from memtui.views.compactions.review_head import before_after, turn_span, when
from memtui.widgets.row_list import ListRow, RowList, title_line
from memtui.wording.formatting import cut, fitted, number
from memtui_core.index.compactions import CompactionRow

SORTS: Final[dict[str, Callable[[CompactionRow], Any]]] = {
    NEWEST: lambda row: -(row.at.timestamp() if row.at else 0.0),
    "tokens": lambda row: -(row.tokens_before or 0),
    "turns": lambda row: -row.turns_before,
    "time": lambda row: -(row.seconds or 0.0),
    "length": lambda row: -row.summary_length,
    "project": attrgetter("project"),
    "missing": lambda row: (
        not row.is_reviewed, -sum(item.kind == "contradiction" for item in row.lost), -len(row.lost)
    ),
}  # fmt: skip
"""Sort keys, by the name in the border; `missing` puts doubtful claims first, then those that lack most, and those that
are not reviewed last."""
NOT_REVIEWED: Final = "not reviewed yet"
_MISSING_WIDTH: Final = 24
_WIDE_MISSING_WIDTH: Final = 32
"""Cells of what a summary lacks, in columns; the wide one from `_PROJECT_FROM` on."""
_TWO_LINES_FROM: Final = 72
_COLUMNS_FROM: Final = 100
_PROJECT_FROM: Final = 124
"""Widths in cells from which a row has two lines, from which one line, and from which that has the project too."""
_PROJECT_WIDTH: Final = 20


class CompactionList(RowList):
    """A line with columns for each compaction, or two or three lines in a narrow pane."""

    HELP: ClassVar[str] = """\
## Compactions

Each compaction with its time, session and project, the turns that it replaced, the tokens before and about how many the
summary has, how many things that matter the summary lacks, and the first of them. What is not reviewed yet is reviewed
while you look. `/` filters by words of the title, the project and the summary; `s` sorts by the next column; `enter`
opens the review: what the summary kept and lost.
"""
    BINDINGS = keys(
        "compactions",
        Key("s", "sort", "Sort", "Sort by the next column", "compactions.sort", synonyms="order", show=True),
    )

    def __init__(self, show: Callable[[CompactionRow, bool], None], order_changed: Callable[[], None]) -> None:
        """`show` is called with a compaction, and whether to open its review instead of a preview."""
        super().__init__(id="compactions")
        self._show_compaction = show
        self._order_changed = order_changed
        self.sort = NEWEST
        self._compactions: Sequence[CompactionRow] = ()
        self._sorted: list[CompactionRow] = []

    def show(self, compactions: Sequence[CompactionRow]) -> None:
        """Show compactions."""
        if compactions != self._compactions:
            self._compactions = compactions
            self.fill(self.chosen)

    def fill_in(self, reviewed: Sequence[CompactionRow]) -> None:
        """Show what was found of compactions that were not reviewed yet."""
        found = {(row.source, row.line): row for row in reviewed}
        self._compactions = [found.get((row.source, row.line), row) for row in self._compactions]
        self.fill(self.chosen)

    def go_to(self, row: CompactionRow) -> None:
        """Move the cursor to a compaction, now or when it is listed."""
        self.fill((row.session, row.turn, row.at))

    @property
    def unreviewed(self) -> list[CompactionRow]:
        """The compactions whose summaries are not reviewed yet, those near the cursor first."""
        cursor = self.highlighted or 0
        near = sorted(enumerate(self._sorted), key=lambda placed: abs(placed[0] - cursor))
        return [row for _, row in near if not row.is_reviewed and row.summary_length]

    @property
    def compaction(self) -> CompactionRow | None:
        """The compaction under the cursor."""
        return self._sorted[self.highlighted] if self.highlighted is not None else None

    def rows(self, width: int) -> list[ListRow]:
        """Title and age; the replaced turns; the summary."""
        self._sorted = sorted(self._compactions, key=SORTS[self.sort])
        return [ListRow((row.session, row.turn, row.at), _content(row, width)) for row in self._sorted]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the turn of the summary."""
        self._show_compaction(self._sorted[index], read)

    def action_sort(self) -> None:
        """Sort by the next column."""
        names = list(SORTS)
        self.sort = names[(names.index(self.sort) + 1) % len(names)]
        self.fill()
        self._order_changed()


def _content(row: CompactionRow, width: int) -> Content:
    return _columns(row, width) if width >= _COLUMNS_FROM else _lines(row, width)


def _columns(row: CompactionRow, width: int) -> Content:
    """One line: when, the title, the project if there is room, the turns, what became what, what is missing."""
    project_width = _PROJECT_WIDTH if width >= _PROJECT_FROM else 0
    missing_width = _WIDE_MISSING_WIDTH if project_width else _MISSING_WIDTH
    right = f"  {fitted(_turns(row), 13)}  {fitted(_sizes(row), 18)}  {fitted(_missing(row), missing_width)}"
    if project_width:
        right = f"  {fitted(row.project, project_width)}{right}"
    start = f"{when(row.at):<12}  "
    title_width = width - cell_len(start) - cell_len(right)
    return Content.assemble((start, "dim"), (fitted(f"⧉ {row.title}", title_width), "bold"), (right, "dim"))


def _lines(row: CompactionRow, width: int) -> Content:
    """Two or three lines: the title and its time, the turns and what became what, what is missing and the project."""
    sizes = [" · ".join([_turns(row), *([f"{_sizes(row)} tokens"] if row.summary_length else [])])]
    missing = [" · ".join(filter(None, (_missing(row), row.project)))]
    facts = [" · ".join(sizes + missing)] if width >= _TWO_LINES_FROM else sizes + missing
    lines = (Content.assemble("  ", (cut(line, width - 2), "dim")) for line in facts)
    return Content("\n").join([title_line(f"⧉ {row.title}", when(row.at), width), *lines])


def _turns(row: CompactionRow) -> str:
    return turn_span(row.first_turn, row.last_turn)


def _sizes(row: CompactionRow) -> str:
    """The tokens before, and about how many the summary has: `167k → 4.7k`."""
    return before_after(row.tokens_before, row.summary_length) if row.summary_length else ""


def _missing(row: CompactionRow) -> str:
    """The most important thing that the summary lacks, in words, behind the number of those that matter."""
    if not row.summary_length:
        return "no summary"
    if not row.is_reviewed:
        return NOT_REVIEWED
    if not row.lost:
        return "little is missing"
    return f"{number(len(row.lost))} lost: {named(row.lost[0])}"
