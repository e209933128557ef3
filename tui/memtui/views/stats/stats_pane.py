"""The pane with the statistics: totals, days, tools, files and models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.message import Message

from memtui.render.rows import Row
from memtui.views.stats.report import message_rows, report
from memtui.widgets.line_view import LineView
from memtui.widgets.row_lines import RowLines

if TYPE_CHECKING:
    from memtui_core.queries.statistics import Statistics

RANGES: Final[tuple[int | None, ...]] = (7, 30, 90, None)
"""The ranges that a key goes through, in days; None is all time."""
_NOT_YET: Final = "Counting …"
_NOTHING: Final = "There are no statistics yet.\n\nThey appear with the first session that is indexed."


class StatsPane(LineView):
    """Shows statistics, and requests those of another range or project."""

    HELP: ClassVar[str] = """\
## Statistics

How much was done, by day, tool, file and model. `d` goes through the last 7, 30 and 90 days and all time; `p` limits
the statistics to the project of the open session, or shows all projects again; `j` and `k` scroll. Days are those of
your time zone; a turn counts for the day on which it started.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "project", "Project", tooltip="Show the project of the open session, or all", id="stats.project"),
        Binding("d", "range", "Days", tooltip="Show 7, 30 or 90 days, or all time", id="stats.range"),
    ]
    DEFAULT_CSS = """
    StatsPane {
        & > .lines--turns { color: $text-primary; }
        & > .lines--sessions { color: $text-accent; }
        & > .lines--calls { color: $text-secondary; }
    }
    """

    @dataclass
    class RangeRequested(Message):
        """Show the statistics of the last `days` days; None for all time."""

        days: int | None

    class ProjectRequested(Message):
        """Show the statistics of one project, or of all again."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(RowLines(self.rows), id=id, classes=classes)
        self.days: int | None = 30
        """The range that is shown or was last requested."""
        self._is_range_chosen = False
        """Whether the range is not the default any more."""
        self._shown: tuple[Statistics, str] | None = None

    def show(self, statistics: Statistics, label: str) -> None:
        """Show statistics; `label` names the project. The scroll position stays if range and project are the same."""
        before = self._shown
        if not (self._is_range_chosen or statistics.days is None or statistics.totals.turns):
            # There was no turn in the default range: show all time instead.
            self._is_range_chosen, self.days = True, None
            self.post_message(self.RangeRequested(None))
            return
        if before is not None and (before[0].days, before[1]) != (statistics.days, label):
            self.scroll_to(y=0, animate=False)
        self._shown, self.days = (statistics, label), statistics.days
        self.lay_out()

    def rows(self, width: int, height: int) -> list[Row]:
        """The report, or a text if there is none."""
        if self._shown is None:
            return message_rows(_NOT_YET)
        statistics, label = self._shown
        if statistics.days is None and not statistics.totals.turns:
            return message_rows(_NOTHING)
        # A blank separates the numbers from the scroll bar.
        return report(statistics, label, width - 1, height)

    def action_project(self) -> None:
        """Request one project, or all again."""
        self.post_message(self.ProjectRequested())

    def action_range(self) -> None:
        """Request the next range."""
        self._is_range_chosen = True
        index = RANGES.index(self.days) + 1 if self.days in RANGES else 0
        self.days = RANGES[index % len(RANGES)]
        self.post_message(self.RangeRequested(self.days))
