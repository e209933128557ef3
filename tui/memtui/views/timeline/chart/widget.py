"""The chart above the list of the timeline, with a cursor that goes from event to event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from memtui.keys.declarations import Key, keys
from memtui.render.rows import Span
from memtui.views.timeline.chart.axis import title
from memtui.views.timeline.chart.cursor import ChartCursor
from memtui.views.timeline.chart.lanes import Chart
from memtui.views.timeline.chart.text import LEGEND, chart_event_text, grid_spans, lane_spans, ruler_spans
from memtui.views.timeline.keys import OBSERVATION_KEYS, TIMELINE_KEYS, Action, ShownAction
from memtui.widgets.lines.painter import LinePainter
from memtui.wording.formatting import cut
from memtui_core.index.observations import TimelineEvent

if TYPE_CHECKING:
    from memtui.views.timeline.view import TimelineView

_OTHER_LINES: Final = 2
"""Lines of the ruler and of the event under the cursor."""
_HEIGHTS: Final = ((22, 2), (30, 4), (50, 8))
"""Rows of lanes for screens of less than so many lines."""
_MOST_ROWS: Final = 10
_FEWEST_ROWS: Final = 4
_LABEL: Final = 24
"""The most cells of a label."""


class TimelineChart(Widget, can_focus=True):
    """Shows the events of a window of time; it calls the view, which is not among its parents."""

    HELP: ClassVar[str] = """\
## Chart of the timeline

A lane for each project, the busiest first. `▙` is the start of a session, `▄` goes on, `█` are several at once; `⧉` is
a compaction, `⇡` a pull request, `◆` an observation. `h` and `l` go to the previous and the next event of the lane, `j`
and `k` to another event of the same time or to the next lane, `enter` opens it. `d` shows a day, a week, a month or all
time; `pgup` and `pgdn` or the wheel go on by that much, `n` and `N` to where something happened.
"""
    BINDINGS = keys(
        "timeline, chart",
        Key("l,right", "beside(1)", "Later", "Go to the next event of the lane", "chart.later"),
        Key("h,left", "beside(-1)", "Earlier", "Go to the previous event of the lane", "chart.earlier"),
        Key("j,down", "below(1)", "Down", "Go to the next event or lane", "chart.down", moves=True),
        Key("k,up", "below(-1)", "Up", "Go to the previous event or lane", "chart.up", moves=True),
        Key("n", "activity(1)", "Next", "Go to the next time with events", "chart.next", show=True),
        Key("N", "activity(-1)", "Previous", "Go to the previous time with events", "chart.previous"),
        Key("pagedown", "window(1)", "Next window", "Show the next day, week or month", "chart.on"),
        Key("pageup", "window(-1)", "Previous window", "Show the previous day, week or month", "chart.back"),
        Key("g,home", "end(0)", "First", "Go to the first event", "chart.first"),
        Key("G,end", "end(-1)", "Last", "Go to the last event", "chart.last"),
        Key("enter", "open", "Open", "Open the event", "chart.open", show=True),
        *TIMELINE_KEYS,
        *OBSERVATION_KEYS,
    )
    DEFAULT_CSS = """
    TimelineChart {
        height: auto;
        border: round $panel;
        border-title-color: $text-muted;
        border-subtitle-color: $text-muted;
        &:focus { border: round $accent; border-title-color: $accent; }
        & > .lines--muted { color: $text-muted; }
        &:ansi > .lines--muted { text-style: dim; }
        & > .lines--grid { color: $panel; }
        & > .lines--lane { text-style: bold; }
        & > .lines--session { color: $primary; }
        & > .lines--own { color: $text-accent; text-style: bold; }
        & > .lines--compaction { color: $text-secondary; text-style: bold; }
        & > .lines--pull-request { color: $text-success; text-style: bold; }
        & > .lines--observation { color: $text-accent; text-style: bold; }
        & > .lines--cursor { color: $text-accent; text-style: bold underline; }
        &:focus > .lines--cursor { text-style: bold reverse; }
    }
    """

    def __init__(self, view: TimelineView, zoom: str | None) -> None:
        super().__init__(id="chart")
        self._view = view
        self._painter = LinePainter(self)
        self.cursor = ChartCursor(zoom)
        self._chart: Chart | None = None
        """The chart that was laid out last."""
        self._lines: list[list[Span]] | None = None
        """The lines of the chart; None if they must be made again."""

    def show(self, timeline: Sequence[TimelineEvent]) -> None:
        """Show events, oldest first; the cursor and the window stay, unless the event under the cursor is gone."""
        if timeline != self.cursor.events:
            self.cursor.take(timeline)
            self._redraw()
            self.refresh(layout=True)

    def follow(self, session_id: str, observation_id: str = "") -> None:
        """Move the cursor to a session, or to an observation in it."""
        self.cursor.follow(session_id, observation_id)
        self._redraw()

    def zoom_on(self) -> None:
        """Show the next larger range of time around the cursor; after all time a day."""
        self.cursor.zoom_on()
        self._redraw()

    def _redraw(self) -> None:
        self._lines = None
        if (window := self.cursor.window) is not None:
            self.border_title = Content(title(window))
            self.border_subtitle = Content(f"{LEGEND} · d {window.zoom}")
        self.refresh()

    def _choose(self, index: int | None, *, read: bool = False) -> None:
        if index is not None:
            self.cursor.go_to(index)
            self._redraw()
            self._view.link.show_event(self.cursor.events[index], read=read)

    # -- keys and mouse ----------------------------------------------------------------------------------------

    def action_beside(self, direction: int) -> None:
        """Go to the next event of the lane, also if it is in another window."""
        chart, event = self._laid_out(), self.cursor.event
        if chart is None or event is None or self.cursor.current is None:
            return
        if self.cursor.current not in chart.spots:
            self._choose(self._edge(chart, direction))
            return
        found = chart.beside(self.cursor.current, direction)
        self._choose(found if found is not None else self.cursor.beyond(direction, event.root))

    def action_below(self, direction: int) -> None:
        """Go to the next event of the same time, to the next lane, or out of the chart."""
        chart, current = self._laid_out(), self.cursor.current
        found: int | None = None
        if chart is not None and chart.spots and current is not None:
            found = chart.below(current, direction) if current in chart.spots else self._edge(chart, 1)
        if found is not None:
            self._choose(found)
        else:
            self._view.perform("list" if direction > 0 else "search line")

    def action_activity(self, direction: int) -> None:
        """Go to the next event after the window, or to the last one before it."""
        found = self.cursor.beyond(direction)
        if found is None:
            self.notify("Nothing happened later." if direction > 0 else "Nothing happened earlier.")
        self._choose(found)

    def action_window(self, direction: int) -> None:
        """Show the next day, week or month; the cursor stays on its event."""
        if self.cursor.shift(direction):
            self._redraw()

    def action_end(self, index: int) -> None:
        """Go to the first or the last event."""
        if count := len(self.cursor.events):
            self._choose(range(count)[index])

    def action_open(self) -> None:
        """Open the event under the cursor."""
        self._choose(self.cursor.current, read=True)

    def action_request(self, action: Action | ShownAction) -> None:
        """Do what a key does."""
        self._view.perform(action)

    def _edge(self, chart: Chart, direction: int) -> int | None:
        """The first or the last event of the window; the nearest one beyond it for an empty window."""
        if not chart.spots:
            return self.cursor.beyond(direction)
        return min(chart.spots) if direction > 0 else max(chart.spots)

    def on_click(self, event: events.Click) -> None:
        """Choose the event at the mouse; a double click opens it."""
        chart, offset = self._laid_out(), event.get_content_offset(self)
        row = offset.y - 1 if offset is not None else -1
        if chart is None or offset is None or not 0 <= row < len(chart.rows):
            return
        column, current = offset.x - self._label_width, self.cursor.current
        cell = chart.rows[row].get(column)
        found = (cell.marks or cell.sessions) if cell is not None else chart.nearest(row, column)
        if found:
            self._choose(current if current in found else found[0], read=event.chain == 2)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Show the next day, week or month."""
        event.stop()
        self.action_window(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Show the previous day, week or month."""
        event.stop()
        self.action_window(-1)

    # -- drawing -----------------------------------------------------------------------------------------------

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The height for the lanes of all projects, as far as the screen has room for it."""
        most = next((rows for lines, rows in _HEIGHTS if viewport.height < lines), _MOST_ROWS)
        return _OTHER_LINES + min(most, max(_FEWEST_ROWS, len(self.cursor.labels)))

    def notify_style_update(self) -> None:
        """Look up the colours again before the next line is painted."""
        self._painter.styles_changed()
        super().notify_style_update()

    def on_resize(self) -> None:
        """Lay out for the new size."""
        self._redraw()

    @property
    def _label_width(self) -> int:
        """Cells of the labels and the blank after them."""
        longest = max(map(cell_len, self.cursor.labels.values()), default=0)
        return min(longest, _LABEL, self.content_size.width // 5) + 1

    def _laid_out(self) -> Chart | None:
        """The chart of the window; None without events, and before there is room."""
        cursor, chart = self.cursor, self._chart
        width, height = self.content_size.width - self._label_width, self.content_size.height - _OTHER_LINES
        if cursor.window is None or width <= 0 or height <= 0:
            return None
        size = width, height
        if (
            chart is None
            or chart.events is not cursor.events
            or (chart.window, chart.width, chart.height) != (cursor.window, *size)
        ):
            chart = self._chart = Chart(cursor.events, cursor.window, *size, cursor.labels)
        return chart

    def render_line(self, y: int) -> Strip:
        """The ruler, a row of a lane, or the event under the cursor."""
        width, height = self.content_size
        if self._lines is None and (chart := self._laid_out()) is not None:
            label_width = self._label_width
            rows = [lane_spans(chart, row, self.cursor.current, label_width) for row in range(len(chart.rows))]
            rows = rows or [[(self.cursor.emptiness(), "muted")]]
            rows += [grid_spans(chart, label_width)] * (height - _OTHER_LINES - len(rows))
            text = chart_event_text(chart, self.cursor.current) if self.cursor.current is not None else ""
            self._lines = [ruler_spans(chart, label_width), *rows, [(cut(text, width), "")]]
        spans = self._lines[y] if self._lines is not None and y < len(self._lines) else []
        segments = [Segment(text, self._painter.style(style)) for text, style in spans]
        return Strip(segments).crop_extend(0, width, self._painter.base_style)
