"""The views in the order of their keys. A new view is a package and a line here."""

from __future__ import annotations

from memtui.keys import Command, view_command
from memtui.views.base import View
from memtui.views.compactions.view import CompactionsView
from memtui.views.files.view import FilesView
from memtui.views.pull_requests.view import PullRequestsView
from memtui.views.sessions.view import SessionsView
from memtui.views.stats.view import StatsView
from memtui.views.timeline.view import TimelineView

VIEWS: list[type[View]] = [
    SessionsView,
    FilesView,
    CompactionsView,
    PullRequestsView,
    StatsView,
    TimelineView,
]


def commands() -> list[Command]:
    """The commands that show the views."""
    return [view_command(view.NAME, view.KEY, view.TITLE) for view in VIEWS]
