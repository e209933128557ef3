"""Branches with the number of their sessions."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from memtui.keys.declarations import Key, keys
from memtui.views.base import View
from memtui.widgets.requests.pane_widths import Share
from memtui.widgets.requests.panes import TargetChosen
from memtui.widgets.requests.target import Target
from memtui.widgets.row_list import ListRow, RowList
from memtui_core.model import Session


class BranchList(RowList):
    """One row for each branch, in alphabetical order."""

    HELP: ClassVar[str] = "## Branches\n\nThe branches on which sessions worked.\n"
    BINDINGS = keys(
        "branches",
        Key("s", "sort", "Sort", "Sort the other way round", "branches.sort", show=True),
    )

    def __init__(self) -> None:
        super().__init__(id="branches")
        self._sessions: list[Session] = []
        self._names: list[str] = []
        self._reverse = False

    def show(self, sessions: list[Session]) -> None:
        """Take the sessions, newest first."""
        self._sessions = sessions
        self.fill(self.chosen)

    def rows(self, width: int) -> list[ListRow]:
        """Name and number of sessions."""
        counts = Counter(session.branch for session in self._sessions if session.branch)
        self._names = sorted(counts, reverse=self._reverse)
        return [ListRow(name, Content(f"{name} {counts[name]}")) for name in self._names]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the newest session."""
        newest = next(session for session in self._sessions if session.branch == self._names[index])
        self.post_message(TargetChosen(Target(newest.key), read))

    def action_sort(self) -> None:
        """Sort the other way round."""
        self._reverse = not self._reverse
        self.fill()


class BranchesView(View):
    """The sessions by their branches."""

    SHARE = Share(0.42)

    def compose_view(self) -> ComposeResult:
        """The list."""
        yield BranchList()

    @property
    def focus_target(self) -> Widget:
        """The list."""
        return self.query_one(BranchList)

    def reload(self) -> None:
        """Load the sessions."""
        self.services.index.query("branches", lambda index: index.sessions.all(), self._show)

    def _show(self, sessions: list[Session]) -> None:
        self.query_one(BranchList).show(sessions)
        self.empty_text = "" if any(session.branch for session in sessions) else "No session has a branch."
