"""The projects with their sessions, subagents and compactions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from textual.app import ComposeResult
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from memtui.services.sharing_service import SharedMarks, said
from memtui.startup.kept_list import KeptList, write_kept
from memtui.system import clock
from memtui.system.timers import PREVIEW_PAUSE
from memtui.views.base import View
from memtui.views.sessions import rows
from memtui.views.sessions.items import item_key
from memtui.views.sessions.title_list import TitleList
from memtui.views.sessions.tree import SessionTree
from memtui.widgets.requests.target import Target
from memtui.wording.annotated import tags_text
from memtui.wording.formatting import number
from memtui.wording.startup_text import no_sessions_text
from memtui.wording.usage_text import Spending, spending
from memtui_core.model import Grouping, Project, Session, Stats
from memtui_core.system.locations import prices_file

if TYPE_CHECKING:
    from textual.worker import WorkType

    from memtui.views.sessions.project.page import ProjectPage
    from memtui.views.sessions.project.sections import Link
    from memtui_core.index.folder import Manifest
    from memtui_core.index.index import Index
    from memtui_core.index.sessions import ProjectOverview
    from memtui_core.index.statistics import Prices
    from memtui_team.sharing import Choice


_PAGE: Final = "memtui.views.sessions.project.page"
"""The module of the page, which a thread imports before it is first shown."""


class _Loaded(NamedTuple):
    """What the tree is made of."""

    snapshot: Manifest
    projects: list[Project]
    several_agents: bool
    has_machines: bool
    grouping: Grouping
    """What the projects are grouped by: by machine only where there are several."""
    archived: int
    """How many sessions are archived."""


class SessionsView(View):
    """Loads the nodes of the tree when they are unfolded; with a filter, lists the matching sessions in its place."""

    SHARE = rows.SHARE
    ITEMS = "sessions"
    REVEALS = True
    _has_rows = False
    """Whether the tree has the rows of the index."""
    _revealed: Session | None = None
    """The session to which the cursor returns when the tree was grouped in another way."""
    _shows_archived = False
    """Whether archived sessions are listed, too."""
    _page: ProjectPage | None = None
    """The page of a project; made with the first one that is shown."""
    shows_page = var(False, init=False)
    """Whether the page replaces the transcript."""
    _wanted: Project | None = None
    """The project whose page is shown, or is to be shown as soon as it is loaded."""
    _read: tuple[Manifest, KeptList] | None = None
    """The first rows as they were last read, and the snapshot that they are of."""

    def compose_view(self) -> ComposeResult:
        """The tree, and the list in its place."""
        tree = SessionTree(self._load_children, self._show_project, self._group, self._share, self._switch_archived)
        tree.border_title = _title(self._grouping)
        with ContentSwitcher(initial="tree"):
            yield tree
            yield TitleList()

    def on_mount(self) -> None:
        """Show what was kept of the last time, until the index is open."""
        kept = self.services.shown_list
        if kept is not None:
            tree = self.query_one(SessionTree)
            tree.shows_agents = kept.shows_agents
            tree.show_kept(kept.projects, kept.sessions)

    def on_unmount(self) -> None:
        """Keep the list for the next start."""
        if self.services.keeps_list and self._read is not None:
            snapshot, kept = self._read
            write_kept(self.services.index.data_dir, kept, snapshot)

    def _switch_archived(self) -> None:
        self._shows_archived = not self._shows_archived
        self.reload()

    @property
    def _grouping(self) -> Grouping:
        return self.services.state.grouping

    @property
    def focus_target(self) -> Widget:
        """The tree, or the list in its place."""
        return self.query_one(TitleList if self.filter_text else SessionTree)

    # -- the page of a project ---------------------------------------------------------------------------------

    @property
    def detail(self) -> Widget | None:
        """The page of the project under the cursor, unless a session is read."""
        return self._page if self.shows_page else None

    def watch_shows_page(self) -> None:
        """Show the page or the transcript."""
        self.post_message(self.DetailChanged())

    def reset_detail(self) -> None:
        """Show the transcript again."""
        self._wanted, self.shows_page = None, False

    def leave_reader(self) -> None:
        """Go from a session that was opened on the page back to it, and from there to the tree."""
        project = self.query_one(SessionTree).project
        if self.shows_page or self.filter_text or project is None:
            super().leave_reader()
        else:
            self._show_project(project, True)

    def _show_project(self, project: Project, read: bool) -> None:
        """Show the page of a project when the cursor rests on it; go there at once to `read` it."""
        self._wanted, page = project, self._page
        if read and page is not None and page.is_of(project):
            self.shows_page, read = True, False
            self.request_focus(page)

        async def load() -> None:
            await asyncio.sleep(0 if read else PREVIEW_PAUSE)
            self.services.index.query(
                "page", partial(_load_overview, project), lambda loaded: self._show_page(*loaded, read)
            )

        # As a function: a worker that is replaced before it begins would leave a coroutine that nobody awaits.
        work: WorkType[None] = load
        self.run_worker(work, group="page", exclusive=True)

    def _show_page(self, overview: ProjectOverview, prices: Prices, read: bool) -> None:
        from memtui.views.sessions.project.page import ProjectPage

        if self._wanted is None or item_key(self._wanted) != item_key(overview.project):
            return
        if self._page is None:
            self._page = ProjectPage(self._open_link)
        self._page.show(overview, prices)
        self.shows_page = True
        if read:
            self.request_focus(self._page)

    def request_turn(self, target: Target, *, read: bool, near: tuple[Target, ...] = ()) -> None:
        """Show a session: in the place of the page at once to read it, otherwise as soon as it is loaded."""
        self._wanted = None
        if read or (self.shown is not None and self.shown.key == target.session):
            self.shows_page = False
        super().request_turn(target, read=read, near=near)

    def watch_shown(self) -> None:
        """Show the session that was loaded for the row under the cursor in the place of the page."""
        if self._wanted is None:
            self.shows_page = False

    def _open_link(self, link: Link) -> None:
        overview = self._page.overview if self._page is not None else None
        if isinstance(link, Target):
            self.request_turn(link, read=True)
        elif link.view == self.view_name:
            self.query_one(SessionTree).unfold()
            self.request_focus(self.focus_target)
        elif overview is not None:
            self.post_message(self.ProjectRequested(link.view, overview.project, link.row))

    # -- the tree ----------------------------------------------------------------------------------------------

    def watch_filter_text(self) -> None:
        """List what matches, or show the tree again."""
        self.reset_detail()
        titles = self.query_one(TitleList)
        chosen = titles.session if titles.has_focus else None
        self.query_one(ContentSwitcher).current = "titles" if self.filter_text else "tree"
        if not self.filter_text and chosen is not None:
            self.reveal(chosen)
            self.request_focus(self.focus_target)
        elif not self.filter_text:
            self._wanted = self.query_one(SessionTree).project
        self.reload()

    def index_begins(self) -> None:
        """Choose the newest session, although others may be indexed before it."""
        self.query_one(SessionTree).follows_newest = True

    def reveal(self, session: Session) -> None:
        """Move the cursor of the tree to the session."""
        self.reset_detail()
        if self._has_rows:
            self.query_one(SessionTree).reveal(session)
        else:
            self._revealed = session

    def reload(self) -> None:
        """Load the projects, or the sessions that match the filter."""
        if text := self.filter_text:
            archived = self._shows_archived
            self.services.index.query(
                "titles", lambda index: _matching(index, text, archived=archived), partial(self._show_titles, text)
            )
            return
        self._load_marks()
        load = partial(_load, self._grouping, self._shows_archived)
        self.services.index.query("projects", load, self._show)

    def _show(self, loaded: _Loaded) -> None:
        if self.filter_text:
            return
        if loaded.archived and not loaded.projects and not self._shows_archived:
            # There is nothing else to list.
            self._switch_archived()
            return
        snapshot, projects, several_agents = loaded.snapshot, loaded.projects, loaded.several_agents
        is_usual = not (self._grouping or self._shows_archived)
        self._read = (snapshot, KeptList(tuple(projects), (), several_agents)) if is_usual else None
        self._has_rows = True
        tree = self.query_one(SessionTree)
        tree.shows_agents = several_agents and self._grouping != "agent"
        tree.border_title = _title(loaded.grouping)
        tree.border_subtitle = _archived_text(loaded.archived, shown=self._shows_archived)
        tree.has_machines, tree.shows_machines = loaded.has_machines, self._grouping != "machine"
        tree.show_projects(projects)
        if self._wanted is not None and tree.project is not None:
            self._show_project(tree.project, False)
        if self._revealed is not None:
            tree.reveal(self._revealed)
            self._revealed = None
        if projects:
            self.empty_text = ""
        else:
            self.services.index.query("projects", lambda index: index.statistics.of_index(), self._show_no_sessions)

    def _show_titles(self, text: str, sessions: list[Session]) -> None:
        if text == self.filter_text:
            titles = self.query_one(TitleList)
            titles.show(sessions)
            titles.border_title = self.titled("sessions")
            self.empty_text = "" if sessions else self.no_match_text

    def _show_no_sessions(self, stats: Stats) -> None:
        self.empty_text = no_sessions_text(self.services.index.data_dir, self.services.sources_text(), stats)

    def _group(self, by: Grouping) -> None:
        tree = self.query_one(SessionTree)
        self.services.state.group_by("" if self._grouping == by else by)
        self._revealed = tree.session
        if self._revealed is None:
            tree.start_over()
        self.reload()

    def _load_marks(self) -> None:
        tree = self.query_one(SessionTree)
        self.services.index.query("sharing", self.services.sharing.marks, tree.show_marks)

    def _share(self, sessions: Sequence[Session], choice: Choice | None) -> None:
        """Keep what the user chose, and show what became of it."""
        sharing, tree = self.services.sharing, self.query_one(SessionTree)

        def choose(index: Index) -> SharedMarks | None:
            sharing.choose(sessions, choice)
            return sharing.marks(index)

        def show(marks: SharedMarks | None) -> None:
            tree.show_marks(marks)
            is_shared = marks is not None and all(session.key in marks.keys for session in sessions)
            self.notify(said(choice, is_shared=is_shared))

        self.services.index.query("", choose, show)

    def _load_children(self, item: Project | Session) -> None:
        if isinstance(item, Project):
            self._load_sessions(item)
        else:
            self._load_below(item.key)

    def _load_sessions(self, project: Project) -> None:
        tree = self.query_one(SessionTree)

        def show(loaded: tuple[Manifest, list[Session]]) -> None:
            snapshot, sessions = loaded
            tree.show_sessions(project, sessions)
            if tree.has_room_for_spending:
                keys = [session.key for session in sessions]
                self.services.index.query("", lambda index: _spending(index, keys), tree.show_spending)
            if self._read is not None and self._read[0] == snapshot and self._read[1].projects[:1] == (project,):
                self._read = snapshot, replace(self._read[1], sessions=tuple(sessions))

        archived = self._shows_archived
        self.services.index.query(
            "", lambda index: (index.snapshot.manifest, index.sessions.all(project, archived=archived)), show
        )

    def _load_below(self, session: int) -> None:
        """Load the subagents and compactions of a session."""
        tree = self.query_one(SessionTree)
        self.services.index.query(
            "",
            lambda index: (index.sessions.subagents(session), index.compactions.of_session(session)),
            lambda loaded: tree.show_children(session, *loaded),
        )


def _spending(index: Index, keys: Sequence[int]) -> dict[int, Spending]:
    from memtui_core.index.statistics import load_prices
    from memtui_core.system.locations import prices_file

    usages, prices = index.statistics.of_sessions(keys), load_prices(prices_file())
    return {key: spending(usage, prices) for key, usage in usages.items()}


def _title(grouping: Grouping) -> str:
    return f"{grouping}s" if grouping else "projects"


def _archived_text(count: int, *, shown: bool) -> str:
    """What the border says of archived sessions; empty if there are none."""
    return f"{number(count)} archived · X {'hides' if shown else 'shows'} them" if count else ""


def _load(grouping: Grouping, archived: bool, index: Index) -> _Loaded:
    has_machines = bool(index.sessions.machines())
    by = grouping if grouping != "machine" or has_machines else ""
    several_agents = index.sessions.variety().agents
    projects = index.sessions.projects(by, archived=archived)
    count = index.annotations.archived()
    return _Loaded(index.snapshot.manifest, projects, several_agents, has_machines, by, count)


def _load_overview(project: Project, index: Index) -> tuple[ProjectOverview, Prices]:
    from memtui_core.index.statistics import load_prices

    import_module(_PAGE)
    return index.sessions.overview(project, now=clock.now()), load_prices(prices_file())


def _matching(index: Index, text: str, *, archived: bool) -> list[Session]:
    words = text.casefold().split()
    named = ((session, _names(session).casefold()) for session in index.sessions.all(archived=archived))
    return [session for session, names in named if all(word in names for word in words)]


def _names(session: Session) -> str:
    """What a filter of titles looks at: the titles, the project, and what the user has added."""
    return "\n".join((session.title, session.agent_title, session.project, tags_text(session.tags), *session.notes))
