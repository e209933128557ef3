"""The chart of the timeline: lanes of projects with sessions as bars, and marks for what happened in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NamedTuple

from memtui.views.timeline.chart.axis import Window, ruler
from memtui_core.index.observations import EventKind, Span, TimelineEvent

MARKS: Final[dict[EventKind, str]] = {"pull request": "↑", "compaction": "⧉", "observation": "◆", "session": "▙"}
"""The character of each kind, and of the start of a session; of several marks in a cell the first is shown."""
BAR: Final = "▄"
"""A session that goes on."""
IDLE: Final = "▁"
"""A session in which nothing was done between times of work."""
OVERLAP: Final = "█"
"""Several sessions at once."""
OTHERS: Final = "other"
"""Label of the lane of the projects for which there is no lane."""


@dataclass(slots=True)
class Cell:
    """A cell of a lane and the events in it, by their indices: sessions first, then marks."""

    sessions: list[int] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)

    @property
    def events(self) -> list[int]:
        """The indices of all events in it."""
        return self.sessions + self.marks


class Spot(NamedTuple):
    """The cell by which an event is chosen: that of the mark, or the first visible one of a bar."""

    row: int
    column: int


@dataclass(frozen=True, slots=True)
class ProjectLane:
    """The rows of a project, or of several without a lane of their own."""

    label: str
    first_row: int
    rows: int

    @property
    def all_rows(self) -> range:
        """The numbers of its rows."""
        return range(self.first_row, self.first_row + self.rows)


class Chart:
    """The events of a window, laid out in rows of cells: at most `height` rows, or none, each `width` cells wide.

    `labels` has the names of projects by their roots, the busiest first: they come first, and keep a lane of their own.
    """

    def __init__(
        self, events: Sequence[TimelineEvent], window: Window, width: int, height: int, labels: Mapping[str, str]
    ) -> None:
        self.events, self.window, self.width, self.height = events, window, width, height
        self.ticks = ruler(window, width)
        """The columns of the ruler with their labels."""
        self.lanes: list[ProjectLane] = []
        self.rows: list[dict[int, Cell]] = []
        """The cells with events of each row, by column."""
        self.spots: dict[int, Spot] = {}
        """The spot of each visible event, by its index."""
        self._columns: dict[int, range] = {}
        """The columns of each visible event, by its index."""
        self._idle: dict[int, set[int]] = {}
        """Those of a session in which there was no work."""
        visible: dict[str, list[int]] = {}
        for index, event in enumerate(events):
            if window.overlaps(event.first, event.last):
                visible.setdefault(event.root, []).append(index)
                first = window.column(event.first, width)
                last = first if event.last == event.first else window.column(event.last, width)
                self._columns[index] = range(first, last + 1)
                if last > first and len(event.session.spans) > 1:
                    self._idle[index] = set(range(first, last + 1)).difference(*self._worked(event.session.spans))
        roots = [root for root in labels if root in visible]
        own = roots if len(roots) <= height else roots[: max(0, height - 1)]
        groups = [(labels[root], visible[root]) for root in own]
        if len(own) < len(roots) and height:
            rest = sorted(index for root in roots[len(own) :] for index in visible[root])
            groups.append((OTHERS, rest))
        for (label, indices), rows in zip(groups, self._share(groups, height), strict=True):
            self._add_lane(label, indices, rows)

    def _worked(self, spans: Iterable[Span]) -> Iterator[range]:
        """The columns of spans of time."""
        for span in spans:
            first, last = (self.window.column(datetime.fromtimestamp(at, UTC), self.width) for at in span)
            yield range(first, last + 1)

    def _share(self, groups: Sequence[tuple[str, list[int]]], height: int) -> list[int]:
        """The rows of each group: one, and more where sessions overlap, as long as there are any."""
        shares = [1] * len(groups)
        needs = [self._depth(indices) for _, indices in groups]
        for _ in range(height - len(groups)):
            lacking = [place for place, need in enumerate(needs) if shares[place] < need]
            if not lacking:
                break
            shares[min(lacking, key=lambda place: (shares[place], place))] += 1
        return shares

    def _depth(self, indices: Iterable[int]) -> int:
        """The most sessions in one column."""
        sessions = (index for index in indices if self.events[index].kind == "session")
        counts = Counter(column for index in sessions for column in self._columns[index])
        return max(counts.values(), default=1)

    def _add_lane(self, label: str, indices: Sequence[int], count: int) -> None:
        top = len(self.rows)
        self.lanes.append(ProjectLane(label, top, count))
        rows: list[dict[int, Cell]] = [{} for _ in range(count)]
        self.rows += rows
        # The last column of the bars of each row, and the row of each session.
        ends, levels = [-1] * count, dict[str, int]()
        for index in indices:
            if self.events[index].kind == "session":
                columns = self._columns[index]
                free = next((row for row in range(count) if ends[row] < columns[0]), None)
                level = free if free is not None else min(range(count), key=ends.__getitem__)
                ends[level] = max(ends[level], columns[-1])
                levels[self.events[index].session.row_id] = level
                self.spots[index] = Spot(top + level, columns[0])
                for column in columns:
                    rows[level].setdefault(column, Cell()).sessions.append(index)
        for index in indices:
            event = self.events[index]
            if event.kind != "session":
                level, column = levels.get(event.session.row_id, 0), self._columns[index][0]
                self.spots[index] = Spot(top + level, column)
                rows[level].setdefault(column, Cell()).marks.append(index)

    def lane(self, row: int) -> ProjectLane:
        """The lane to which a row belongs."""
        return next(lane for lane in self.lanes if row in lane.all_rows)

    def character(self, row: int, column: int) -> tuple[str, EventKind | None]:
        """What is shown in a cell: a character, and the kind of the event; None if it is empty."""
        cell = self.rows[row].get(column)
        if cell is None:
            return " ", None
        if cell.marks:
            kinds = {self.events[index].kind for index in cell.marks}
            kind = next(kind for kind in MARKS if kind in kinds)
            return MARKS[kind], kind
        working = [index for index in cell.sessions if column not in self._idle.get(index, ())]
        if not working:
            return IDLE, "session"
        if len(working) > 1:
            return OVERLAP, "session"
        event = self.events[working[0]]
        starts = self.spots[working[0]].column == column and event.first >= self.window.first
        return (MARKS["session"] if starts else BAR), "session"

    def at(self, spot: Spot) -> list[int]:
        """The events that are chosen at a spot: sessions, then marks."""
        cell = self.rows[spot.row].get(spot.column)
        return [index for index in cell.events if self.spots[index] == spot] if cell is not None else []

    def beside(self, index: int, direction: int) -> int | None:
        """The nearest later (1) or earlier (-1) event in another column of the lane; None if there is none."""
        own = self.spots[index]
        lane = self.lane(own.row)
        spots = [
            spot
            for spot in self.spots.values()
            if spot.row in lane.all_rows and (spot.column - own.column) * direction > 0
        ]
        if not spots:
            return None
        return self.at(min(spots, key=lambda spot: (abs(spot.column - own.column), abs(spot.row - own.row))))[0]

    def below(self, index: int, direction: int) -> int | None:
        """The next (1) or the previous (-1) event of the cell, or the nearest one of the next row; None without one."""
        own = self.spots[index]
        same = self.at(own)
        place = same.index(index) + direction
        if 0 <= place < len(same):
            return same[place]
        rows = [spot.row for spot in self.spots.values() if (spot.row - own.row) * direction > 0]
        if not rows:
            return None
        found = self.nearest(min(rows, key=lambda row: abs(row - own.row)), own.column)
        return found[0 if direction > 0 else -1] if found else None

    def nearest(self, row: int, column: int) -> list[int]:
        """The events of the spot in a row that is nearest to a column; empty for a row without events."""
        spots = [spot for spot in self.spots.values() if spot.row == row]
        return self.at(min(spots, key=lambda spot: abs(spot.column - column))) if spots else []
