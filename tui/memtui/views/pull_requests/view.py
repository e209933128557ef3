"""The pull requests of all sessions."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.widget import Widget

from memtui.views.base import View
from memtui.views.pull_requests.pr_list import PrList
from memtui.widgets.requests.pane_widths import Share
from memtui_core.index.pull_requests import PrRow
from memtui_core.model import Project

_EMPTY = "No session is linked to a pull request yet.\n\n1 goes back to the sessions."


class PullRequestsView(View):
    """Lists pull requests with their sessions."""

    SHARE = Share(0.48)
    ITEMS = "pull requests"

    def compose_view(self) -> ComposeResult:
        """The list."""
        yield PrList()

    @property
    def focus_target(self) -> Widget:
        """The list."""
        return self.query_one(PrList)

    def reload(self) -> None:
        """Load the pull requests."""
        project = self.project
        self.services.index.query(
            "pull requests", lambda index: index.pull_requests.all(project), partial(self._show, project)
        )

    def _show(self, project: Project | None, rows: list[PrRow]) -> None:
        if project != self.project:
            return
        words = self.filter_text.casefold().split()
        listed = [row for row in rows if all(word in _searched(row) for word in words)]
        pull_requests = self.query_one(PrList)
        pull_requests.show(listed)
        pull_requests.border_title = self.titled("pull requests")
        self.empty_text = "" if listed else self.no_match_text if rows else _EMPTY


def _searched(row: PrRow) -> str:
    """The text of a row that a filter searches."""
    return f"#{row.number} {row.repository} {row.title} {row.project}".casefold()
