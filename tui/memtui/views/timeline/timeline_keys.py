"""The keys of the chart of the timeline, and those for what is shown, which it shares with the list."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType
from textual.message import Message


class KindRequested(Message):
    """Show the next kind of observations."""


class ProjectRequested(Message):
    """Show one project, or all again."""


class ZoomRequested(Message):
    """Show a day, a week, a month or all time in the chart."""


TIMELINE_BINDINGS: Final[list[BindingType]] = [
    Binding("F", "kind", "Filter", tooltip="Show one type of observations, or forgotten ones", id="past.filter"),
    Binding(
        "p",
        "project",
        "Project",
        tooltip="Show all projects, or the project of the row",
        show=False,
        id="past.project",
    ),
    Binding("d", "zoom", "Range", tooltip="Show a day, a week, a month or all time", id="past.range"),
]
"""A widget with these bindings posts the messages above."""

CHART_BINDINGS: Final[list[BindingType]] = [
    Binding("l,right", "beside(1)", "Later", tooltip="Go to the next event of the lane", show=False, id="chart.later"),
    Binding(
        "h,left",
        "beside(-1)",
        "Earlier",
        tooltip="Go to the previous event of the lane",
        show=False,
        id="chart.earlier",
    ),
    Binding("j,down", "below(1)", "Down", tooltip="Go to the next event or lane", show=False, id="chart.down"),
    Binding("k,up", "below(-1)", "Up", tooltip="Go to the previous event or lane", show=False, id="chart.up"),
    Binding("n", "activity(1)", "Next", tooltip="Go to the next time with events", id="chart.next"),
    Binding(
        "N",
        "activity(-1)",
        "Previous",
        tooltip="Go to the previous time with events",
        show=False,
        id="chart.previous",
    ),
    Binding(
        "pagedown",
        "window(1)",
        "Next window",
        tooltip="Show the next day, week or month",
        show=False,
        id="chart.on",
    ),
    Binding(
        "pageup",
        "window(-1)",
        "Previous window",
        tooltip="Show the previous day, week or month",
        show=False,
        id="chart.back",
    ),
    Binding("g,home", "end(0)", "First", tooltip="Go to the first event", show=False, id="chart.first"),
    Binding("G,end", "end(-1)", "Last", tooltip="Go to the last event", show=False, id="chart.last"),
    Binding("enter", "open", "Open", tooltip="Open the event", id="chart.open"),
]
