"""The keys for what the timeline shows, shared by the list and the chart."""

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
    Binding("d", "zoom", "Zoom", tooltip="Show a day, a week, a month or all time", id="past.zoom"),
]
"""A widget with these bindings posts the messages above."""
