"""Statistics on the screen: totals, days, tools, files and models, drawn as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from memtui.render.copying import copied
from memtui.render.figures import report, words
from memtui.render.rows import Line, Row, wrap
from memtui.widgets.line_view import LineView, bounds

if TYPE_CHECKING:
    from memtui_core.statistics import Statistics

RANGES: Final[tuple[int | None, ...]] = (7, 30, 90, None)
"""Days that a key goes through; None is all time."""
_NOT_YET: Final = "Counting …"
_NOTHING: Final = "Nothing to count yet.\n\nThe numbers come with the first session that is indexed."


class StatsView(LineView):
    """Shows what it is given; asks for another span of days by a message."""

    HELP: ClassVar[str] = """\
## Statistics

How much was done, by day, tool, file and model. `d` goes through the last 7, 30 and 90 days and all time; `j` and `k`
scroll. Days are those of your time zone; a turn counts for the day on which it began.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "range", "Days", tooltip="7, 30 or 90 days, or all time", id="stats.range"),
        Binding("j,down", "scroll(1)", "Down", tooltip="Scroll down", show=False, id="stats.down"),
        Binding("k,up", "scroll(-1)", "Up", tooltip="Scroll up", show=False, id="stats.up"),
        Binding("pagedown,space", "page(1)", "Page down", tooltip="A page down", show=False, id="stats.page-down"),
        Binding("pageup", "page(-1)", "Page up", tooltip="A page up", show=False, id="stats.page-up"),
        Binding("g,home", "end(0)", "Top", tooltip="To the first line", show=False, id="stats.top"),
        Binding("G,end", "end(1)", "End", tooltip="To the last line", show=False, id="stats.bottom"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"lines--turns", "lines--sessions", "lines--calls"}
    DEFAULT_CSS = """
    StatsView {
        & > .lines--turns { color: $text-primary; }
        & > .lines--sessions { color: $text-accent; }
        & > .lines--calls { color: $text-secondary; }
    }
    """

    @dataclass
    class RangeWanted(Message):
        """The statistics of the last `days` days are wanted; None for all time."""

        days: int | None

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.days: int | None = 30
        """The span that is shown, or was last asked for."""
        self._shown: tuple[Statistics, str] | None = None
        self._lines: list[Line] = []

    def show(self, statistics: Statistics, label: str) -> None:
        """Show statistics; `label` names the project. Newer ones of the same keep the place where one reads."""
        before = self._shown
        if before is not None and (before[0].days, before[1]) != (statistics.days, label):
            self.scroll_to(y=0, animate=False)
        self._shown, self.days = (statistics, label), statistics.days
        self._lay_out()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for the new size."""
        self._lay_out()

    def _rows(self, width: int, height: int) -> list[Row]:
        if self._shown is None:
            return words(_NOT_YET)
        statistics, label = self._shown
        if statistics.days is None and not statistics.totals.turns:
            return words(_NOTHING)
        # A blank keeps the numbers off the scroll bar.
        return report(statistics, label, width - 1, height)

    def _lay_out(self) -> None:
        width, height = self.scrollable_content_region.size
        if width <= 0:
            return
        if self.is_attached and self in self.screen.selections:
            self.screen.clear_selection()
        self._lines = wrap(self._rows(width, height), width)
        self.virtual_size = Size(width, len(self._lines))
        self.refresh()

    def action_range(self) -> None:
        """Ask for the next span of days."""
        place = RANGES.index(self.days) + 1 if self.days in RANGES else 0
        self.days = RANGES[place % len(RANGES)]
        self.post_message(self.RangeWanted(self.days))

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines."""
        self.scroll_to(y=self.scroll_target_y + lines, animate=False)

    def action_page(self, direction: int) -> None:
        """Scroll by a page."""
        self.action_scroll(direction * max(1, self.scrollable_content_region.height - 1))

    def action_end(self, last: int) -> None:
        """Go to the first or the last line."""
        self.scroll_to(y=self.max_scroll_y if last else 0, animate=False)

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        width = self.scrollable_content_region.width
        index = round(self.scroll_y) + y
        if index >= len(self._lines):
            return self.blank(len(self._lines), width)
        return self.paint(self._lines[index], index, width, self.span_selected(index))

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text."""
        top = round(self.scroll_y)
        start, end = bounds(selection, top, min(len(self._lines), top + self.size.height) - 1)
        pieces = [
            (line, start.x if y == start.y else 0, end.x if y == end.y else len(line.text))
            for y, line in enumerate(self._lines[start.y : end.y + 1], start.y)
        ]
        return copied(pieces, 0), "\n"
