"""The pull requests of all sessions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.widget import Widget

from memtui.services.app_services import AppServices
from memtui.views.base import View
from memtui.views.pull_requests.commit_list import CommitList
from memtui.views.pull_requests.pr_list import PrList
from memtui.widgets.pane_visibility import set_pane_class
from memtui.widgets.requests.pane_widths import Share
from memtui.widgets.requests.panes import LeftAtTop
from memtui_core.index.pull_requests import PullRequest
from memtui_core.model import Project

if TYPE_CHECKING:
    from memtui_core.index.sessions import SessionCommit

_EMPTY = "No session is linked to a pull request yet.\n\n1 goes back to the sessions."


class PullRequestsView(View):
    """Lists pull requests with their sessions."""

    SHARE = Share(0.48)
    ITEMS = "pull requests"
    DEFAULT_CSS = """
    PullRequestsView {
        #pr-commits { display: none; height: auto; max-height: 40%; }
        &.-commits #pr-commits { display: block; }
    }
    """

    def __init__(self, services: AppServices, name: str) -> None:
        super().__init__(services, name)
        self._prs = PrList(self._set_title, self._load_commits)
        self._commits = CommitList()

    def compose_view(self) -> ComposeResult:
        """The list, and the commits of the sessions of the chosen pull request."""
        yield self._prs
        yield self._commits

    def on_mount(self) -> None:
        """Show the order in the border."""
        self._set_title()

    @property
    def focus_target(self) -> Widget:
        """The list."""
        return self._prs

    @property
    def panes(self) -> Sequence[Widget]:
        """The list, and the commits if there are any."""
        return (self._prs, self._commits) if self.has_class("-commits") else (self._prs,)

    def step_back(self) -> bool:
        """Go from the commits to the pull requests."""
        is_inside = self._commits.has_focus
        if is_inside:
            self.request_focus(self._prs)
        return is_inside

    @on(LeftAtTop)
    def _to_list(self, message: LeftAtTop) -> None:
        if self._commits.has_focus:
            message.prevent_default().stop()
            self.request_focus(self._prs)

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
        self._prs.show(listed)
        self._set_title()
        self.empty_text = "" if listed else self.no_match_text if rows else _EMPTY

    def _set_title(self) -> None:
        self._prs.border_title = self.titled("pull requests", self._prs.order)

    # -- the commits of the chosen line ------------------------------------------------------------------------

    def _load_commits(self) -> None:
        if (line := self._prs.line) is None:
            self._show_commits((), [])
        else:
            sessions = line.sessions
            self.services.index.query(
                "commits of sessions",
                lambda index: [one for one in index.sessions.commits(*sessions) if not one.amended],
                partial(self._show_commits, sessions),
            )

    def _show_commits(self, sessions: tuple[int, ...], commits: list[SessionCommit]) -> None:
        line = self._prs.line
        if sessions != (line.sessions if line is not None else ()):
            return
        self._commits.show(sessions, commits)
        if not commits and self._commits.has_focus:
            self.request_focus(self._prs)
        set_pane_class(self, bool(commits), "-commits")
        self.call_after_refresh(self._prs.scroll_to_highlight)


def _searched(pull_request: PullRequest) -> str:
    """The text of a pull request and its sessions that a filter searches."""
    own = (f"#{pull_request.number}", pull_request.repository, pull_request.story.title, pull_request.story.state or "")
    sessions = (f"{row.title} {row.project} {row.branch or ''}" for row in pull_request.sessions)
    return " ".join((*own, *sessions)).casefold()
