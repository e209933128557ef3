"""The chart as lines with named styles: the ruler, the lanes, and an event in one line."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len

from memtui.render.clean import clean
from memtui.render.rows import Span
from memtui.views.timeline.chart.lanes import IDLE, MARKS, Chart, Spot
from memtui.wording.diary import continuation
from memtui.wording.formatting import cut, day_and_month, plural, time_of_day
from memtui_core.index.observations import TimelineEvent

LEGEND: Final = " · ".join(f"{MARKS[kind]} {kind}" for kind in ("session", "compaction", "pull request", "observation"))


def ruler_spans(chart: Chart, label_width: int) -> list[Span]:
    """The dates above the lanes."""
    line = [" "] * chart.width
    for column, label in chart.ticks:
        line[column : column + len(label)] = label
    return [(" " * label_width, ""), ("".join(line), "muted")]


def grid_spans(chart: Chart, label_width: int) -> list[Span]:
    """A row below the lanes: only the lines of the ruler."""
    ticks = {column for column, _ in chart.ticks}
    line = "".join("┊" if column in ticks else " " for column in range(chart.width))
    return [(" " * label_width, ""), (line, "grid")]


def lane_spans(chart: Chart, row: int, current: int | None, label_width: int) -> list[Span]:
    """A row of a lane; `current` is the index of the event under the cursor."""
    lane = chart.lane(row)
    own = chart.spots.get(current) if current is not None else None
    label = cut(lane.label, label_width - 1) if row == lane.first_row else ""
    label += " " * (label_width - cell_len(label))
    spans: list[Span] = [(label, "lane" if own is not None and own.row in lane.all_rows else "muted")]
    ticks = {column for column, _ in chart.ticks}
    for column in range(chart.width):
        text, kind = chart.character(row, column)
        if current is not None and own == Spot(row, column):
            spans.append((MARKS[chart.events[current].kind], "cursor"))
        elif text == IDLE:
            spans.append((text, "muted"))
        elif kind is None:
            spans.append(("┊", "grid") if column in ticks else (" ", ""))
        elif kind == "session" and current in chart.rows[row][column].sessions:
            spans.append((text, "own"))
        else:
            spans.append((text, kind.replace(" ", "-")))
    return spans


def chart_event_text(chart: Chart, current: int) -> str:
    """An event in one line, and which of several at its spot it is."""
    same = chart.at(chart.spots[current]) if current in chart.spots else []
    place = f"{same.index(current) + 1} of {len(same)} here · " if len(same) > 1 else ""
    return place + event_text(chart.events[current])


def event_text(event: TimelineEvent) -> str:
    """An event in one line: its kind, its time, its title, its session and its project."""
    session, observation = event.session, event.observation
    facts = [f"{MARKS[event.kind]} {_times(event)}"]
    if observation is not None:
        facts += [f"{observation.content.type}: {observation.content.title}", session.name]
    elif event.kind == "session":
        facts += [session.name, *continuation(session)]
        if session.session is None:
            facts.append("no transcript")
        elif not session.since and not session.goes_on:
            facts.append(plural(session.session.turns, "turn"))
    else:
        facts += [f"{event.kind} {event.label}".strip(), session.name]
    return clean(" · ".join(filter(None, (*facts, session.project)))).replace("\n", " ")


def _times(event: TimelineEvent) -> str:
    """`20 Aug 2026 14:02`, `20 Aug 2026 14:02 – 15:31`, `19 Aug 2026 23:10 – 20 Aug 01:05`."""
    first, last = event.first.astimezone(), event.last.astimezone()
    start = f"{day_and_month(first)} {first.year} {time_of_day(first)}"
    if time_of_day(last) == time_of_day(first) and first.date() == last.date():
        return start
    end = time_of_day(last)
    return f"{start} – {end if first.date() == last.date() else f'{day_and_month(last)} {end}'}"
