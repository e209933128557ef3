"""The pull requests of all sessions."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.widget import Widget

from memtui.views.base import View
from memtui.views.pull_requests.pr_list import PrList
from memtui.widgets.requests.pane_widths import Share
from memtui_core.index.pull_requests import PullRequest
from memtui_core.model import Project

_EMPTY = "No session is linked to a pull request yet.\n\n1 goes back to the sessions."


class PullRequestsView(View):
    """Lists pull requests with their sessions."""

    SHARE = Share(0.48)
    ITEMS = "pull requests"

    def compose_view(self) -> ComposeResult:
        """The list."""
        yield PrList(self._set_title)

    def on_mount(self) -> None:
        """Show the order in the border."""
        self._set_title()

    @property
    def focus_target(self) -> Widget:
        """The list."""
        return self.query_one(PrList)

    def reload(self) -> None:
        """Load the pull requests."""
        project = self.project
        self.services.index.query(
            "pull requests", lambda index: index.pull_requests.known(project), partial(self._show, project)
        )

    def _show(self, project: Project | None, rows: list[PullRequest]) -> None:
        if project != self.project:
            return
        words = self.filter_text.casefold().split()
        listed = [row for row in rows if all(word in _searched(row) for word in words)]
        self.query_one(PrList).show(listed)
        self._set_title()
        self.empty_text = "" if listed else self.no_match_text if rows else _EMPTY

    def _set_title(self) -> None:
        pull_requests = self.query_one(PrList)
        pull_requests.border_title = self.titled("pull requests", pull_requests.order)


def _searched(pull_request: PullRequest) -> str:
    """The text of a pull request and its sessions that a filter searches."""
    own = (f"#{pull_request.number}", pull_request.repository, pull_request.story.title, pull_request.story.state or "")
    sessions = (f"{row.title} {row.project} {row.branch or ''}" for row in pull_request.sessions)
    return " ".join((*own, *sessions)).casefold()
