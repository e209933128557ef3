"""The chart above the list of the timeline, with a cursor that goes from event to event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar, Final

from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.strip import Strip
from textual.widget import Widget

from memtui.formatting import cut, day
from memtui.render.rows import Span
from memtui.views.timeline.axis import ZOOMS, Window, Zoom, title, window_at
from memtui.views.timeline.chart import Chart, beyond
from memtui.views.timeline.chart_text import LEGEND, chart_event_text, grid_spans, lane_spans, ruler_spans
from memtui.views.timeline.observation_keys import OBSERVATION_BINDINGS, Action, ObservationRequested
from memtui.views.timeline.timeline_keys import (
    CHART_BINDINGS,
    TIMELINE_BINDINGS,
    KindRequested,
    ProjectRequested,
    ZoomRequested,
)
from memtui.widgets.line_painter import LinePainter
from memtui_core.memory.timeline_model import TimelineEvent

_OTHER_LINES: Final = 2
"""Lines of the ruler and of the event under the cursor."""
_HEIGHTS: Final = ((22, 2), (30, 4), (50, 8))
"""Rows of lanes for screens of less than so many lines."""
_MOST_ROWS: Final = 10
_FEWEST_ROWS: Final = 4
_LABEL: Final = 24
"""The most cells of a label."""


class TimelineChart(Widget, can_focus=True):
    """Shows the events of a window of time; its messages go to the view, which is not among its parents."""

    HELP: ClassVar[str] = """\
## Chart of the timeline

A lane for each project, the busiest first. `▙` is the start of a session, `▄` goes on, `█` are several at once; `⧉` is
a compaction, `⇡` a pull request, `◆` an observation. `h` and `l` go to the previous and the next event of the lane, `j`
and `k` to another event of the same time or to the next lane, `enter` opens it. `d` shows a day, a week, a month or all
time; `pgup` and `pgdn` or the wheel go on by that much, `n` and `N` to where something happened.
"""
    BINDINGS: ClassVar[list[BindingType]] = [*CHART_BINDINGS, *TIMELINE_BINDINGS, *OBSERVATION_BINDINGS]
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

    @dataclass
    class EventChosen(Message):
        """Show an event; `read` to go there, otherwise as a preview."""

        event: TimelineEvent
        read: bool

    @dataclass
    class Left(Message):
        """Go to the widget below (1) or above (-1) the chart."""

        direction: int

    class Focused(Message):
        """The chart has the focus."""

    def __init__(self, view: MessagePump, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._view = view
        self._painter = LinePainter(self)
        self.zoom: Zoom = "month"
        self.events: Sequence[TimelineEvent] = ()
        self.window: Window | None = None
        """The time that is shown; None without events."""
        self.current: int | None = None
        """Index of the event under the cursor."""
        self._ranks: list[str] = []
        self._chart: Chart | None = None
        """The chart of the window; None if it must be laid out again."""
        self._lines: list[list[Span]] | None = None
        """The lines of the chart; None if they must be made again."""

    # -- events ------------------------------------------------------------------------------------------------

    @property
    def event(self) -> TimelineEvent | None:
        """The event under the cursor."""
        return self.events[self.current] if self.current is not None else None

    def show(self, timeline: Sequence[TimelineEvent]) -> None:
        """Show events, oldest first; the cursor and the window stay, unless the event under the cursor is gone."""
        if timeline == self.events:
            return
        key = self.event.key if self.event is not None else None
        self.events = timeline
        counts = Counter(event.root for event in timeline)
        self._ranks = sorted(counts, key=lambda root: (-counts[root], root))
        keys = [event.key for event in timeline]
        is_there = key in keys
        self.current = keys.index(key) if is_there else len(keys) - 1 if keys else None
        if is_there and self.zoom != "all":
            self._lay_out()
        else:
            self._show_current()
        self.refresh(layout=True)

    def follow(self, session_id: str, observation_id: str = "") -> None:
        """Move the cursor to a session, or to an observation in it."""
        kind = "observation" if observation_id else "session"
        for index, event in enumerate(self.events):
            name = event.observation.id if event.observation is not None else ""
            if (event.kind, event.session.session_id, name) == (kind, session_id, observation_id):
                self.current = index
                self._show_current()

    def _show_current(self) -> None:
        """Show the window with the event under the cursor, unless it is shown already."""
        event, window = self.event, self.window
        if event is None:
            self.window = None
        elif (
            window is None
            or window.zoom != self.zoom
            or self.zoom == "all"
            or not window.overlaps(event.first, event.last)
        ):
            self._show_time(event)
        self._lay_out()

    def _show_time(self, event: TimelineEvent) -> None:
        last = max(event.last for event in self.events)
        self.window = window_at(self.zoom, event.last, self.events[0].first, last)

    def _lay_out(self) -> None:
        self._chart = self._lines = None
        if self.window is not None:
            self.border_title = Content(title(self.window))
            self.border_subtitle = Content(f"{LEGEND} · d {self.zoom}")
        self.refresh()

    def _choose(self, index: int | None, *, read: bool = False) -> None:
        if index is not None:
            self.current = index
            self._show_current()
            self._view.post_message(self.EventChosen(self.events[index], read))

    # -- keys and mouse ----------------------------------------------------------------------------------------

    def action_beside(self, direction: int) -> None:
        """Go to the next event of the lane, also if it is in another window."""
        chart, current = self._laid_out(), self.current
        if chart is None or current is None:
            return
        if current not in chart.spots:
            self._choose(self._edge(direction))
            return
        found = chart.beside(current, direction)
        if found is None:
            found = self._beyond(direction, self.events[current].root)
        self._choose(found)

    def action_below(self, direction: int) -> None:
        """Go to the next event of the same time, to the next lane, or out of the chart."""
        chart, current = self._laid_out(), self.current
        if chart is None or current is None or not chart.spots:
            self._view.post_message(self.Left(direction))
        elif current not in chart.spots:
            self._choose(self._edge(1))
        elif (found := chart.below(current, direction)) is not None:
            self._choose(found)
        else:
            self._view.post_message(self.Left(direction))

    def action_activity(self, direction: int) -> None:
        """Go to the next event after the window, or to the last one before it."""
        found = self._beyond(direction)
        if found is None:
            self.notify("Nothing happened later." if direction > 0 else "Nothing happened earlier.")
        self._choose(found)

    def action_window(self, direction: int) -> None:
        """Show the next day, week or month; the cursor stays on its event."""
        window = self.window
        if window is None or window.zoom == "all":
            return
        at = window.end if direction > 0 else window.first - timedelta(seconds=1)
        if self.events[0].first < at < max(event.last for event in self.events) or self._beyond(direction) is not None:
            self.window = window_at(self.zoom, at, at, at)
            self._lay_out()

    def action_end(self, index: int) -> None:
        """Go to the first or the last event."""
        if self.events:
            self._choose(range(len(self.events))[index])

    def action_open(self) -> None:
        """Open the event under the cursor."""
        self._choose(self.current, read=True)

    def action_kind(self) -> None:
        """Request the next kind of observations."""
        self._view.post_message(KindRequested())

    def action_project(self) -> None:
        """Request one project, or all."""
        self._view.post_message(ProjectRequested())

    def action_zoom(self) -> None:
        """Request the next zoom."""
        self._view.post_message(ZoomRequested())

    def action_note(self, action: Action) -> None:
        """Request an action on the chosen observation."""
        self._view.post_message(ObservationRequested(action))

    def zoom_on(self) -> None:
        """Show the next larger range of time around the cursor; after all time a day."""
        self.zoom = ZOOMS[(ZOOMS.index(self.zoom) + 1) % len(ZOOMS)]
        self._show_current()

    def _edge(self, direction: int) -> int | None:
        """The first or the last event of the window; the nearest one beyond it for an empty window."""
        chart = self._laid_out()
        if chart is None or not chart.spots:
            return self._beyond(direction)
        return min(chart.spots) if direction > 0 else max(chart.spots)

    def _beyond(self, direction: int, root: str | None = None) -> int | None:
        """The nearest event after or before the window, of one project or of all."""
        window = self.window
        if window is None:
            return None
        return beyond(self.events, window, direction, root)

    def on_focus(self) -> None:
        """Tell the view."""
        self._view.post_message(self.Focused())

    def on_click(self, event: events.Click) -> None:
        """Choose the event at the mouse; a double click opens it."""
        chart, offset = self._laid_out(), event.get_content_offset(self)
        row = offset.y - 1 if offset is not None else -1
        if chart is None or offset is None or not 0 <= row < len(chart.rows):
            return
        column = offset.x - self._label_width
        events_at = chart.nearest(row, column) if self.current is None else self._clicked(chart, row, column)
        if events_at:
            self._choose(events_at[0], read=event.chain == 2)

    def _clicked(self, chart: Chart, row: int, column: int) -> list[int]:
        """The events at a cell, the current one first; the nearest ones of an empty cell."""
        cell = chart.rows[row].get(column)
        found = (cell.marks or cell.sessions) if cell is not None else chart.nearest(row, column)
        return [self.current] if self.current in found and self.current is not None else found

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
        return _OTHER_LINES + min(most, max(_FEWEST_ROWS, len(self._ranks)))

    def notify_style_update(self) -> None:
        """Look up the colours again before the next line is painted."""
        self._painter.styles_changed()
        super().notify_style_update()

    def on_resize(self) -> None:
        """Lay out for the new size."""
        self._lay_out()

    @property
    def _label_width(self) -> int:
        """Cells of the labels and the blank after them."""
        longest = max((len(root.rstrip("/").rpartition("/")[2]) for root in self._ranks), default=0)
        return min(max(longest, len("no project")), _LABEL, self.content_size.width // 5) + 1

    def _laid_out(self) -> Chart | None:
        """The chart of the window; None without events, and before there is room."""
        width = self.content_size.width - self._label_width
        height = self.content_size.height - _OTHER_LINES
        if self._chart is None and self.window is not None and width > 0 and height > 0:
            self._chart = Chart(self.events, self.window, width, height, self._ranks)
        return self._chart

    def render_line(self, y: int) -> Strip:
        """The ruler, a row of a lane, or the event under the cursor."""
        width, height = self.content_size
        if self._lines is None and (chart := self._laid_out()) is not None:
            label_width = self._label_width
            rows = [lane_spans(chart, row, self.current, label_width) for row in range(len(chart.rows))]
            rows = rows or [[(self._emptiness(), "muted")]]
            rows += [grid_spans(chart, label_width)] * (height - _OTHER_LINES - len(rows))
            text = chart_event_text(chart, self.current) if self.current is not None else ""
            self._lines = [ruler_spans(chart, label_width), *rows, [(cut(text, width), "")]]
        spans = self._lines[y] if self._lines is not None and y < len(self._lines) else []
        segments = [Segment(text, self._painter.style(style)) for text, style in spans]
        return Strip(segments).crop_extend(0, width, self._painter.base_style)

    def _emptiness(self) -> str:
        """The text for a window without events."""
        later, earlier = self._beyond(1), self._beyond(-1)
        ways = [f"n goes on to {day(self.events[later].first)}"] if later is not None else []
        ways += [f"N goes back to {day(self.events[earlier].last)}"] if earlier is not None else []
        return " Nothing happened in this time. " + ", ".join(ways) + "."
