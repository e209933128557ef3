"""The chart above the list of the timeline, with a cursor that goes from event to event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
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
from memtui.views.timeline.chart.axis import ZOOMS, Window, Zoom, title
from memtui.views.timeline.chart.cursor import ChartCursor
from memtui.views.timeline.chart.lanes import Chart
from memtui.views.timeline.chart.strip import StripCell, cell_at, strip_cells, strip_spans
from memtui.views.timeline.chart.text import LEGEND, chart_event_text, grid_spans, lane_spans, ruler_spans
from memtui.views.timeline.keys import OBSERVATION_KEYS, TIMELINE_KEYS, Action, ShownAction
from memtui.widgets.lines.painter import LinePainter
from memtui.wording.formatting import cut
from memtui_core.index.observations import TimelinePage

if TYPE_CHECKING:
    from memtui.views.timeline.view import TimelineView

_OTHER_LINES: Final = 3
"""Lines of the strip, of the ruler, and of what is under the cursor."""
_FIRST_LANE: Final = 2
"""The line of the first lane."""
_BORDERS: Final = 2
_SHARE: Final = 3
"""The chart has a third of the screen at most."""
_LEAST_SCREEN: Final = 30
"""Lines of a screen from which on there is room for lanes."""
_LEAST_LABEL: Final = 5
_LABEL: Final = 24
"""The fewest and the most cells of a label."""


class TimelineChart(Widget, can_focus=True):
    """Shows the events of a window of time; it calls the view, which is not among its parents."""

    HELP: ClassVar[str] = """\
## Chart of the timeline

The strip has a cell for each hour, day or week, the fuller the more turns began in it: `enter` goes to that day in the
list. Below it is a lane for each project, the busiest first: `▙` is the start of a session, `▄` its work, `▁` a pause,
`█` are more than one; `⧉` is a compaction, `↑` a pull request, `◆` an observation. `h` and `l` go to the previous and
the next event of the lane, `j` and `k` to another one of the same time, to another lane or to the strip, `enter` opens
it. `d` shows a day, a week, a month, a year or all time; `pgup` and `pgdn` or the wheel go to the one before or after
in which something happened, `n` and `N` to the next event outside. List and transcript go with the cursor. A small
screen has the strip alone.
"""
    BINDINGS = keys(
        "timeline, chart",
        Key("l,right", "beside(1)", "Later", "Go to the next event of the lane", "chart.later"),
        Key("h,left", "beside(-1)", "Earlier", "Go to the previous event of the lane", "chart.earlier"),
        Key("j,down", "below(1)", "Down", "Go to the next event or lane", "chart.down", moves=True),
        Key("k,up", "below(-1)", "Up", "Go to the previous event or lane", "chart.up", moves=True),
        Key("n", "activity(1)", "Next", "Go to the next time with events", "chart.next", show=True),
        Key("N", "activity(-1)", "Previous", "Go to the previous time with events", "chart.previous"),
        Key("pagedown", "window(1)", "Next window", "Show the next day, week, month or year with events", "chart.on"),
        Key(
            "pageup",
            "window(-1)",
            "Previous window",
            "Show the previous day, week, month or year with events",
            "chart.back",
        ),
        Key("g,home", "end(0)", "First", "Go to the first event", "chart.first"),
        Key("G,end", "end(-1)", "Last", "Go to the last event", "chart.last"),
        Key("enter", "open", "Open", "Open the event, or go to the day in the list", "chart.open", show=True),
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
        & > .lines--session, & > .lines--heat { color: $primary; }
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
        self._day: datetime | None = None
        """A time in the cell under the cursor while that is in the strip; None while it is in the lanes."""
        self._lanes = 0
        """The rows of lanes for which there is room."""
        self._activity: Mapping[int, int] = {}
        self._lines: list[list[Span]] | None = None
        """The lines of the chart; None if they must be made again."""
        self._names_keys = True
        """Whether the key that changes the range of time works where the focus is."""

    def show(self, page: TimelinePage) -> None:
        """Show the events of a page; the cursor and the window stay, unless the event under the cursor is gone."""
        if page.events != self.cursor.events or page.activity != self._activity:
            self._activity = page.activity
            self.cursor.take(page.events, page.activity)
            self._redraw()

    def follow(self, *keys: tuple[str, ...]) -> None:
        """Move the cursor to the first of some events, by their keys, that there is."""
        self.cursor.follow(*keys)
        self._stay_in_strip()
        self._redraw()

    def show_zoom(self, zoom: Zoom) -> None:
        """Show a range of time around the cursor."""
        self.cursor.show_zoom(zoom)
        self._stay_in_strip()
        self._redraw()

    def show_keys(self, *, shown: bool) -> None:
        """Name the key that changes the range of time, or not."""
        if shown != self._names_keys:
            self._names_keys = shown
            self._redraw()

    def _stay_in_strip(self) -> None:
        """If the cursor is in the strip, move it to the time of the event."""
        self._day = self.cursor.event.last if self._day is not None and self.cursor.event is not None else None

    def _redraw(self) -> None:
        self._lines = None
        if (window := self.cursor.window) is not None:
            self.border_title = Content(title(window))
            self.border_subtitle = self._subtitle(window)
        if self.is_mounted and self._lanes_for(self.screen.size.height) != self._lanes:
            self.refresh(layout=True)
        self.refresh()

    def _subtitle(self, window: Window) -> Content:
        """The legend if there is room, and the ranges of time with the one that is shown."""
        zooms = (
            Content.styled(zoom, f"{'bold' if zoom == window.zoom else 'dim'} @click=zoom('{zoom}')") for zoom in ZOOMS
        )
        ranges = Content.assemble("d " if self._names_keys else "", Content(" ").join(zooms))
        legend = Content(f"{LEGEND} · ")
        has_room = legend.cell_length + ranges.cell_length + _BORDERS < self.content_size.width and self._lanes
        return legend + ranges if has_room else ranges

    def _choose(self, index: int | None, *, read: bool = False) -> None:
        if index is not None:
            self._day = None
            self.cursor.go_to(index)
            self._redraw()
            self._view.link.show_event(self.cursor.events[index], read=read)

    def _choose_here(self, index: int | None) -> None:
        """Choose an event; the cursor stays in the strip if it is there."""
        was_in_strip = self._day is not None
        self._choose(index)
        if was_in_strip:
            self._go_to_time(self._strip_time)

    # -- keys and mouse ----------------------------------------------------------------------------------------

    @property
    def _in_strip(self) -> bool:
        """Whether the cursor is in the strip: always, if there are no lanes."""
        return self._day is not None or not self._lanes

    @property
    def _strip_time(self) -> datetime | None:
        """A time in the cell under the cursor of the strip; that of the event while the cursor is in the lanes."""
        return self._day or (self.cursor.event.last if self.cursor.event is not None else None)

    def _go_to_time(self, at: datetime | None) -> None:
        """Move the cursor of the strip."""
        if at is not None:
            self._day = at
            self.cursor.show(at)
            self._redraw()

    def _cells(self, window: Window | None = None) -> list[StripCell]:
        """The cells of the strip in a window, by default the one that is shown; none before there is room."""
        window, width = window or self.cursor.window, self.content_size.width - self._label_width
        return strip_cells(self.cursor, window, width) if window is not None and width > 0 else []

    def _beside_in_strip(self, direction: int) -> None:
        """Go to the next cell with turns of what is shown, also if it is in another window."""
        window, at = self.cursor.window, self._strip_time
        found: int | None = None
        while window is not None and at is not None and found is None and (cells := self._cells(window)):
            cell = cells[cell_at(cells, at)]
            at = self.cursor.activity_beyond(cell.end if direction > 0 else cell.first, direction)
            if at is not None:
                window = self.cursor.window_with(at)
                cells = self._cells(window)
                cell = cells[cell_at(cells, at)]
                found = self.cursor.newest_between(cell.first, cell.end)
        if found is not None:
            self._choose(found)
            self._go_to_time(at)

    def action_beside(self, direction: int) -> None:
        """Go to the next event of the lane, or to the next time with turns, also if it is in another window."""
        chart, event = self._laid_out(), self.cursor.event
        if chart is None or event is None or self.cursor.current is None:
            return
        if self._in_strip:
            self._beside_in_strip(direction)
            return
        if self.cursor.current not in chart.spots:
            self._choose(self._edge(chart, direction))
            return
        found = chart.beside(self.cursor.current, direction)
        self._choose(found if found is not None else self.cursor.beyond(direction, event.root))

    def action_below(self, direction: int) -> None:
        """Go to the next event of the same time, to the next lane, to the strip, or out of the chart."""
        chart, current = self._laid_out(), self.cursor.current
        found: int | None = None
        if chart is not None and chart.spots and current is not None:
            if self._in_strip:
                found = self._first_below(chart) if direction > 0 else None
            else:
                found = chart.below(current, direction) if current in chart.spots else self._edge(chart, 1)
        if found is not None:
            self._choose(found)
        elif direction < 0 and not self._in_strip:
            self._go_to_time(self._strip_time)
        else:
            self._view.perform("list" if direction > 0 else "search line")

    def _first_below(self, chart: Chart) -> int | None:
        """The event of the first lane that is nearest to the cursor of the strip."""
        at = self._strip_time
        nearest = chart.nearest(0, chart.window.column(at, chart.width)) if at is not None else []
        return nearest[0] if nearest else None

    def action_activity(self, direction: int) -> None:
        """Go to the next event after the window, or to the last one before it."""
        found = self.cursor.beyond(direction)
        if found is None:
            self.notify("Nothing happened later." if direction > 0 else "Nothing happened earlier.")
        self._choose_here(found)

    def action_window(self, direction: int) -> None:
        """Show the next day, week, month or year in which something happened, and go to its newest session."""
        self._choose_here(self.cursor.in_next_window(direction))

    def action_end(self, index: int) -> None:
        """Go to the first or the last event."""
        if count := len(self.cursor.events):
            self._choose_here(range(count)[index])

    def action_open(self) -> None:
        """Open the event under the cursor; from the strip go to the day in the list."""
        if not self._in_strip:
            self._choose(self.cursor.current, read=True)
        elif cells := self._cells():
            self._open_day(cells)

    def _open_day(self, cells: Sequence[StripCell]) -> None:
        """Go to the last day with turns of the cell under the cursor."""
        at = self._strip_time
        if at is not None:
            cell = cells[cell_at(cells, at)]
            last = self.cursor.activity_beyond(cell.end, -1)
            self._view.go_to_day((last if cell.turns and last is not None else cell.first).astimezone().date())

    def action_zoom(self, zoom: Zoom) -> None:
        """Show a range of time."""
        self._view.choose_zoom(zoom)

    def action_request(self, action: Action | ShownAction) -> None:
        """Do what a key does."""
        self._view.perform(action)

    def _edge(self, chart: Chart, direction: int) -> int | None:
        """The first or the last event of the window; the nearest one beyond it for an empty window."""
        if not chart.spots:
            return self.cursor.beyond(direction)
        return min(chart.spots) if direction > 0 else max(chart.spots)

    def on_click(self, event: events.Click) -> None:
        """Choose the event at the mouse, which a double click opens; in the strip go to the day in the list."""
        chart, offset = self._laid_out(), event.get_content_offset(self)
        if chart is None or offset is None:
            return
        row, column = offset.y - _FIRST_LANE, offset.x - self._label_width
        cells, current = self._cells(), self.cursor.current
        if offset.y == 0:
            clicked = next((piece for piece in cells if column in piece.columns), None)
            self._go_to_time(clicked.first if clicked is not None else None)
            self._open_day(cells)
        if not 0 <= row < len(chart.rows):
            return
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
        """As many lines as there are lanes, as far as the screen has room for them."""
        self._lanes = self._lanes_for(viewport.height)
        return _OTHER_LINES + self._lanes

    def _lanes_for(self, screen: int) -> int:
        """The rows of lanes for a screen of so many lines: one for each project of the window, if there is room."""
        most = screen // _SHARE - _OTHER_LINES - _BORDERS
        return min(max(1, self.cursor.lanes()), most) if screen >= _LEAST_SCREEN else 0

    def notify_style_update(self) -> None:
        """Look up the colours again before the next line is painted."""
        self._painter.styles_changed()
        super().notify_style_update()

    def on_resize(self) -> None:
        """Lay out for the new size."""
        self._redraw()

    @property
    def _label_width(self) -> int:
        """Cells of the labels and the blank after them; none without lanes."""
        if not self._lanes:
            return 0
        longest = max(map(cell_len, self.cursor.labels.values()), default=0)
        return min(max(longest, _LEAST_LABEL), _LABEL, self.content_size.width // 5) + 1

    def _laid_out(self) -> Chart | None:
        """The chart of the window; None without events, and before there is room."""
        cursor, chart = self.cursor, self._chart
        width, height = self.content_size.width - self._label_width, self.content_size.height - _OTHER_LINES
        if cursor.window is None or width <= 0 or height < 0:
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
        """The strip, the ruler, a row of a lane, or what is under the cursor."""
        width, height = self.content_size
        if self._lines is None and (chart := self._laid_out()) is not None:
            label_width, cells, at = self._label_width, self._cells(), self._strip_time
            cell = cell_at(cells, at) if at is not None and self._in_strip else None
            current = self.cursor.current if cell is None else None
            rows = [lane_spans(chart, row, current, label_width) for row in range(len(chart.rows))]
            rows += [grid_spans(chart, label_width)] * (height - _OTHER_LINES - len(rows))
            text = cells[cell].text if cell is not None else ""
            if current is not None:
                text = chart_event_text(chart, current)
            strip = strip_spans(cells, cell, label_width)
            self._lines = [strip, ruler_spans(chart, label_width), *rows, [(cut(text, width), "")]]
        spans = self._lines[y] if self._lines is not None and y < len(self._lines) else []
        segments = [Segment(text, self._painter.style(style)) for text, style in spans]
        return Strip(segments).crop_extend(0, width, self._painter.base_style)
