"""The event under the cursor of the chart, and the window of time around it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from types import MappingProxyType

from memtui.views.timeline.chart.axis import ZOOMS, Window, Zoom, window_at
from memtui_core.index.observations import SLOT, TimelineEvent


class ChartCursor:
    """The events of the timeline, the current one, and the window that is shown."""

    def __init__(self, zoom: str | None = None) -> None:
        self.zoom: Zoom = next((known for known in ZOOMS if known == zoom), "month")
        self.events: Sequence[TimelineEvent] = ()
        """Oldest first."""
        self.window: Window | None = None
        """The time that is shown; None without events."""
        self.current: int | None = None
        """Index of the event under the cursor; None without events."""
        self.labels: dict[str, str] = {}
        """The names of the projects by their roots, that with the most events first."""
        self.slots: Sequence[int] = ()
        """The slots of time with turns, the first one first."""
        self._counts: Sequence[int] = (0,)
        """The number of turns before each slot, and of all."""
        self._places: dict[tuple[str, ...], int] = {}
        """The index of each event by its key."""
        self._counted: tuple[Window | None, int] | None = None
        """The number of projects in a window, which was counted last."""

    @property
    def event(self) -> TimelineEvent | None:
        """The event under the cursor."""
        return self.events[self.current] if self.current is not None else None

    def take(self, events: Sequence[TimelineEvent], activity: Mapping[int, int] = MappingProxyType({})) -> None:
        """Take newer events; the cursor and the window stay, unless the event under the cursor is gone.

        `activity` are the turns of each slot of time, see `TimelinePage.activity`.
        """
        before = self.event
        self.events, self._counted = events, None
        self.slots = sorted(activity)
        self._counts = [0, *accumulate(activity[slot] for slot in self.slots)]
        counts = Counter(event.root for event in events)
        names = {event.root: event.session.project for event in events if event.root}
        roots = sorted(counts, key=lambda root: (-counts[root], root))
        self.labels = {root: names.get(root) or "no project" for root in roots}
        self._places = {event.key: index for index, event in enumerate(events)}
        if before is not None and before.key in self._places:
            self.go_to(self._places[before.key])
            if self.zoom == "all":
                self._show_window()
        else:
            self.go_to(len(events) - 1 if events else None)

    def follow(self, *keys: tuple[str, ...]) -> None:
        """Go to the first of some events, by their keys, that there is."""
        if (index := next((self._places[key] for key in keys if key in self._places), None)) is not None:
            self.go_to(index)

    def go_to(self, index: int | None) -> None:
        """Go to an event; the window changes only if the event is not in it."""
        self.current = index
        event, window = self.event, self.window
        if event is None or window is None or not window.overlaps(event.first, event.last):
            self._show_window()

    @property
    def next_zoom(self) -> Zoom:
        """The next larger range of time; after all time a day."""
        return ZOOMS[(ZOOMS.index(self.zoom) + 1) % len(ZOOMS)]

    def show_zoom(self, zoom: Zoom) -> None:
        """Show a range of time around the event."""
        self.zoom = zoom
        self._show_window()

    def in_next_window(self, direction: int) -> int | None:
        """The newest event of the next (1) or the previous (-1) window in which something happened; None for none."""
        found = self.beyond(direction)
        if found is None:
            return None
        window = self.window_with(self.events[found].first)
        return self.newest_between(window.first, window.end)

    def newest_between(self, first: datetime, end: datetime) -> int | None:
        """The session in which there was work last in a range of time, else the last event; None without events."""
        found: list[tuple[bool, float, int]] = []
        low, high = first.timestamp(), end.timestamp()
        for index, event in enumerate(self.events):
            spans = event.session.spans if event.kind == "session" else ()
            for start, last in spans or ((event.first.timestamp(), event.last.timestamp()),):
                if start < high and last >= low:
                    found.append((event.kind == "session", last, index))
        return max(found)[2] if found else None

    def beyond(self, direction: int, root: str | None = None) -> int | None:
        """The nearest event after (1) or before (-1) the window, of one project or of all; None if there is none."""
        if self.window is None:
            return None
        for index in range(len(self.events))[::direction]:
            event = self.events[index]
            is_outside = event.first >= self.window.end if direction > 0 else event.last < self.window.first
            if is_outside and root in (None, event.root):
                return index
        return None

    def turns_between(self, first: datetime, end: datetime) -> int:
        """The number of turns that began in a range of time."""
        low, high = (bisect_left(self.slots, at.timestamp() / SLOT) for at in (first, end))
        return self._counts[high] - self._counts[low]

    def activity_beyond(self, at: datetime, direction: int) -> datetime | None:
        """The start of the nearest slot with turns from a time on (1), or of the last one before it (-1)."""
        place = bisect_left(self.slots, at.timestamp() / SLOT) - (direction < 0)
        return datetime.fromtimestamp(self.slots[place] * SLOT, UTC) if 0 <= place < len(self.slots) else None

    def show(self, at: datetime) -> None:
        """Show the window with a time, unless it is shown."""
        self.window = self.window_with(at)

    def window_with(self, at: datetime) -> Window:
        """The window with a time: the one that is shown, or another one as long."""
        window = self.window
        return window if window is not None and window.overlaps(at, at) else self._window_at(at)

    def lanes(self) -> int:
        """The number of projects with events in the window."""
        window = self.window
        if self._counted is None or self._counted[0] != window:
            roots = {event.root for event in self.events if window and window.overlaps(event.first, event.last)}
            self._counted = window, len(roots)
        return self._counted[1]

    def _show_window(self) -> None:
        self.window = self._window_at(self.event.last) if self.event is not None else None

    def _window_at(self, at: datetime) -> Window:
        last = max(event.last for event in self.events)
        return window_at(self.zoom, at, self.events[0].first, last)
