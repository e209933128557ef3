"""A time axis with a mark for each touch of a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events
from textual.content import Content
from textual.widget import Widget

from memtui.wording.formatting import day, time_of_day
from memtui_core.index.files import TurnTouch
from memtui_core.model import TouchKind

MARKS: dict[TouchKind, str] = {"edited": "✎", "read": "○", "mentioned": "·"}
"""The symbol of each kind, the strongest first."""
_AXIS = "─"


class TouchStrip(Widget):
    """Two lines: the marks of all touches from the first to the last, and dates below; a click chooses a touch.

    Marks of one session look alike, those of the next one differ, so that it shows where a session begins.
    """

    DEFAULT_CSS = """
    TouchStrip {
        height: 2;
        padding: 0 1;
        color: $text-muted;
    }
    """

    def __init__(self, go_to: Callable[[TurnTouch], None]) -> None:
        """`go_to` is called with the touch that was clicked."""
        super().__init__()
        self._go_to = go_to
        self._touches: Sequence[TurnTouch] = ()
        """The oldest first."""
        self._chosen: TurnTouch | None = None

    def show(self, touches: Sequence[TurnTouch], chosen: TurnTouch | None) -> None:
        """Show touches, given with the newest first."""
        self._touches, self._chosen = touches[::-1], chosen
        self.refresh()

    def choose(self, touch: TurnTouch | None) -> None:
        """Mark a touch."""
        if touch != self._chosen:
            self._chosen = touch
            self.refresh()

    def render(self) -> Content:
        """The marks and the dates."""
        width = self.content_size.width
        if not self._touches or width < 1:
            return Content("")
        return Content("\n").join((self._marks(width), self._dates(width)))

    def _marks(self, width: int) -> Content:
        shades = self._shades()
        parts: list[tuple[str, str]] = []
        for own in self._cells(width):
            if not own:
                parts.append((_AXIS, "dim"))
                continue
            touch = min(own, key=lambda touch: list(MARKS).index(touch.kind))
            shade = "bold $text-primary" if shades[touch.touch.session] else "$text-secondary"
            parts.append((MARKS[touch.kind], f"{shade} reverse" if self._chosen in own else shade))
        return Content.assemble(*parts)

    def _shades(self) -> dict[int, bool]:
        """Which sessions have the first of two looks: every second one."""
        sessions = dict.fromkeys(touch.touch.session for touch in self._touches)
        return {session: index % 2 == 0 for index, session in enumerate(sessions)}

    def _dates(self, width: int) -> Content:
        """The time of the chosen touch below its mark, and where they fit the dates of the first and the last touch."""
        first, last = (day(touch.touch.at) for touch in (self._touches[0], self._touches[-1]))
        column = next((column for column, own in enumerate(self._cells(width)) if self._chosen in own), None)
        if self._chosen is None or column is None:
            return Content(f"{first}{last:>{max(1, width - len(first))}}")
        at = self._chosen.touch.at
        time = f"{day(at)} {time_of_day(at)}" if at is not None else "unknown time"
        fits = column + len(time) + 2 <= width
        label, left = (f"▲ {time}", column) if fits else (f"{time} ▲", max(0, column - len(time) - 1))
        rest = width - left - len(label)
        before, after = (
            first if left > len(first) + 1 else "",
            last if rest > len(last) + 1 and len(self._touches) > 1 else "",
        )
        return Content.assemble(f"{before:<{left}}", (label, "$text"), f"{after:>{max(0, rest)}}")

    def _cells(self, width: int) -> list[list[TurnTouch]]:
        """The touches of each column."""
        cells: list[list[TurnTouch]] = [[] for _ in range(width)]
        for touch, column in zip(self._touches, columns(_times(self._touches), width), strict=True):
            cells[column].append(touch)
        return cells

    def _touches_at(self, x: int) -> list[TurnTouch]:
        cells = self._cells(self.content_size.width)
        return cells[x] if self._touches and 0 <= x < len(cells) else []

    def on_click(self, event: events.Click) -> None:
        """Choose the touch under the mouse; of several in one column the one after the chosen."""
        own = self._touches_at(event.x - self.styles.padding.left)
        if own:
            index = own.index(self._chosen) + 1 if self._chosen in own else 0
            self._go_to(own[index % len(own)])

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Name the touch under the mouse."""
        own = self._touches_at(event.x - self.styles.padding.left)
        names = [f"{MARKS[touch.kind]} turn {touch.touch.turn} · {touch.touch.title}" for touch in own]
        self.tooltip = Content("\n".join(names)) if names else None


def columns(times: Sequence[float], width: int) -> list[int]:
    """The column of each time, which are in order, on an axis of some columns.

    As long as there is room, each time has a column of its own, as near to its place as possible.
    """
    if not times or width < 1:
        return []
    span = times[-1] - times[0]
    places = [round((time - times[0]) / span * (width - 1)) if span else 0 for time in times]
    if len(times) > width:
        return places if span else [index * width // len(times) for index in range(len(times))]
    for index in range(1, len(places)):
        places[index] = max(places[index], places[index - 1] + 1)
    limit = width
    for index in range(len(places) - 1, -1, -1):
        limit = places[index] = min(places[index], limit - 1)
    return places


def _times(touches: Sequence[TurnTouch]) -> list[float]:
    """The times of touches in order; a touch without a time stands at that of the one before."""
    times: list[float] = []
    for touch in touches:
        at = touch.touch.at
        times.append(max(at.timestamp(), times[-1] if times else 0.0) if at is not None else times[-1] if times else 0)
    if times and not times[0]:
        first = next((time for time in times if time), 0.0)
        times = [time or first for time in times]
    return times
