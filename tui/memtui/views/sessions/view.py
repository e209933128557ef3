"""The projects with their sessions, subagents and compactions."""

from __future__ import annotations

from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.widget import Widget

from memtui.pane_widths import Share
from memtui.startup_text import no_sessions_text
from memtui.target import Target
from memtui.views.base import View
from memtui.views.sessions.tree import SessionTree
from memtui_core.model import Project, Stats


class SessionsView(View):
    """Loads the nodes of the tree when they are unfolded."""

    NAME = "sessions"
    TITLE = "Sessions"
    KEY = "1"
    SHARE = Share(0.28)

    def compose_view(self) -> ComposeResult:
        """The tree."""
        tree = SessionTree(id="tree")
        tree.border_title = "projects"
        yield tree

    @property
    def focus_target(self) -> Widget:
        """The tree."""
        return self.query_one(SessionTree)

    def reload(self) -> None:
        """Load the projects."""
        self.services.index.query("projects", lambda index: index.projects(), self._show)

    def _show(self, projects: list[Project]) -> None:
        self.query_one(SessionTree).show_projects(projects)
        if projects:
            self.empty_text = ""
        else:
            self.services.index.query("projects", lambda index: index.stats(), self._show_no_sessions)

    def _show_no_sessions(self, stats: Stats) -> None:
        self.empty_text = no_sessions_text(self.services.index.data_dir, self.services.sources_text, stats)

    @on(SessionTree.SessionsRequested)
    def _load_sessions(self, message: SessionTree.SessionsRequested) -> None:
        message.stop()
        tree, project = self.query_one(SessionTree), message.project
        self.services.index.query("", lambda index: index.sessions(project), partial(tree.show_sessions, project))

    @on(SessionTree.ChildrenRequested)
    def _load_children(self, message: SessionTree.ChildrenRequested) -> None:
        message.stop()
        tree, session = self.query_one(SessionTree), message.session
        self.services.index.query(
            "",
            lambda index: (index.subagents(session), index.compactions(session)),
            lambda loaded: tree.show_children(session, *loaded),
        )

    @on(SessionTree.Chosen)
    def _session_chosen(self, message: SessionTree.Chosen) -> None:
        message.stop()
        self.request_turn(Target(message.session, message.turn), read=message.read)

    @on(SessionTree.TitleSearchRequested)
    def _search_titles(self) -> None:
        self.post_message(self.SearchRequested("in:title "))
