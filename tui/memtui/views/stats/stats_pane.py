"""Statistics on the screen: totals, days, tools, files and models, drawn as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.message import Message

from memtui.render.rows import Row
from memtui.views.stats.report import report, words
from memtui.widgets.line_view import LineView
from memtui.widgets.row_lines import RowLines

if TYPE_CHECKING:
    from memtui_core.queries.statistics import Statistics

RANGES: Final[tuple[int | None, ...]] = (7, 30, 90, None)
"""Days that a key goes through; None is all time."""
_NOT_YET: Final = "Counting …"
_NOTHING: Final = "Nothing to count yet.\n\nThe numbers come with the first session that is indexed."


class StatsPane(LineView):
    """Shows what it is given; asks for another span of days by a message."""

    HELP: ClassVar[str] = """\
## Statistics

How much was done, by day, tool, file and model. `d` goes through the last 7, 30 and 90 days and all time, `p` to the
project of what is read and back to all; `j` and `k` scroll. Days are those of your time zone; a turn counts for the
day on which it began.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "project", "Project", tooltip="The project of what is read, or all", id="stats.project"),
        Binding("d", "range", "Days", tooltip="7, 30 or 90 days, or all time", id="stats.range"),
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
        """The statistics of the last `days` days are wanted; None for all time."""

        days: int | None

    class ProjectRequested(Message):
        """One project is to be counted instead of all, or all again."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(RowLines(self.rows), id=id, classes=classes)
        self.days: int | None = 30
        """The span that is shown, or was last asked for."""
        self._chosen = False
        """The person chose the span."""
        self._shown: tuple[Statistics, str] | None = None

    def show(self, statistics: Statistics, label: str) -> None:
        """Show statistics; `label` names the project. Newer ones of the same keep the place where one reads."""
        before = self._shown
        if not (self._chosen or statistics.days is None or statistics.totals.turns):
            # Nothing was done lately: all that there is tells more.
            self._chosen, self.days = True, None
            self.post_message(self.RangeRequested(None))
            return
        if before is not None and (before[0].days, before[1]) != (statistics.days, label):
            self.scroll_to(y=0, animate=False)
        self._shown, self.days = (statistics, label), statistics.days
        self.lay_out()

    def rows(self, width: int, height: int) -> list[Row]:
        """The report, or why there is none."""
        if self._shown is None:
            return words(_NOT_YET)
        statistics, label = self._shown
        if statistics.days is None and not statistics.totals.turns:
            return words(_NOTHING)
        # A blank keeps the numbers off the scroll bar.
        return report(statistics, label, width - 1, height)

    def action_project(self) -> None:
        """Count one project, or all again."""
        self.post_message(self.ProjectRequested())

    def action_range(self) -> None:
        """Ask for the next span of days."""
        self._chosen = True
        place = RANGES.index(self.days) + 1 if self.days in RANGES else 0
        self.days = RANGES[place % len(RANGES)]
        self.post_message(self.RangeRequested(self.days))
