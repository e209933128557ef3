"""The views beside the sessions: files, compactions and pull requests, each a list at the left of the transcript."""

from __future__ import annotations

import webbrowser
from pathlib import Path

from textual import on
from textual.content import Content
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Input

from memtui import clock, messages
from memtui.screens.handing import HandingScreen
from memtui.screens.pane_visibility import set_pane_class
from memtui.services.preload import IndexPreload
from memtui.target import Target
from memtui.views.compactions.compaction_list import CompactionList, CompactionsPane
from memtui.views.compactions.review_list import ReviewList
from memtui.views.files.file_list import FileList, facts_of
from memtui.views.files.view import FilesPane, Timeline
from memtui.views.pull_requests.pr_list import PrList
from memtui.views.stats.stats_pane import StatsPane
from memtui.widgets.filtered_pane import FilteredPane
from memtui.widgets.view_tabs import ViewTabs

EMPTY = {
    "files": "No file matches.\n\nesc goes back to the sessions.",
    "compactions": "No session was compacted yet.\n\n1 goes back to the sessions.",
    "prs": "No session is tied to a pull request yet.\n\n1 goes back to the sessions.",
}


class ViewsScreen(HandingScreen):
    """Owns which view is shown, and fills it when it is."""

    reviewing = var(False, init=False)
    """In the view of the compactions: one of them is in review."""
    view: var[str] = var("sessions", init=False)
    """A name of VIEWS."""

    def __init__(self, data_dir: Path, opening: IndexPreload | None = None) -> None:
        super().__init__(data_dir, opening)
        self.add_class("-view-sessions")
        self._counted: tuple[str, str] | None = None
        """Root and name of the project that is counted; None for all."""

    def watch_view(self, before: str, after: str) -> None:
        """Show another list."""
        self.remove_class(f"-view-{before}", update=False)
        set_pane_class(self, True, f"-view-{after}")
        self.query_one(ViewTabs).view = after
        self.say_empty("")
        self.fill_view()

    def say_empty(self, text: str) -> None:
        """Words instead of a list; none for the empty text."""
        raise NotImplementedError

    def go_to(self, pane: Widget) -> None:
        """Focus a pane."""
        raise NotImplementedError

    def show_turn(self, target: Target, *, read: bool) -> None:
        """Show a turn; `read` when the person wants to go there."""
        raise NotImplementedError

    @property
    def view_list(self) -> Widget:
        """The list of the view that is shown."""
        if self.view == "files":
            return self.query_one(FilesPane).entered
        if self.view == "stats":
            return self.query_one(StatsPane)
        if self.view == "compactions":
            return self.query_one(ReviewList) if self.reviewing else self.query_one(CompactionsPane).entered
        return self.query_one(PrList)

    @on(messages.IndexChanged)
    def fill_view(self) -> None:
        """Ask for what the view lists."""
        if self.view == "files":
            pattern = self.query_one(FilesPane).pattern
            self.run_newest("view", lambda: self.library.files(pattern))
        elif self.view == "compactions":
            wanted = self.query_one(CompactionsPane).pattern
            self.run_newest("view", lambda: self.library.compactions(wanted))
        elif self.view == "prs":
            self.run_newest("view", self.library.pull_requests)
        elif self.view == "stats":
            days = self.query_one(StatsPane).days
            root = self._counted[0] if self._counted is not None else None
            self.run_newest("view", lambda: self.library.statistics(days, root))

    def _filled(self, view: str, *, empty: bool) -> None:
        if self.view == view:
            self.say_empty(EMPTY[view] if empty else "")

    @on(FilteredPane.Filtered)
    def _filtered(self) -> None:
        self.fill_view()

    # -- files -------------------------------------------------------------------------------------------------

    @on(messages.FilesLoaded)
    def _files_loaded(self, message: messages.FilesLoaded) -> None:
        pane = self.query_one(FilesPane)
        if message.pattern == pane.pattern:
            pane.show(message.files, message.note)

    @on(FileList.Chosen)
    def _listed_file_chosen(self, message: FileList.Chosen) -> None:
        self.run_newest("timeline", lambda: self.library.timeline(message.file))
        if message.read:
            self.go_to(self.query_one(Timeline))

    @on(messages.TimelineLoaded)
    def _timeline_loaded(self, message: messages.TimelineLoaded) -> None:
        timeline = self.query_one(Timeline)
        timeline.border_title = Content(message.file.path.rpartition("/")[2])
        timeline.border_subtitle = facts_of(message.file, clock.now())
        timeline.show(message.touches)

    @on(Timeline.Chosen)
    def _touch_chosen(self, message: Timeline.Chosen) -> None:
        touch = message.touch
        words = (touch.path.rpartition("/")[2],)
        call = (touch.tool, touch.path) if touch.kind != "mentioned" else None
        self.show_turn(Target(touch.session, touch.turn, words, call), read=message.read)

    # -- compactions and pull requests -------------------------------------------------------------------------

    @on(messages.CompactionsLoaded)
    def _compactions_loaded(self, message: messages.CompactionsLoaded) -> None:
        pane = self.query_one(CompactionsPane)
        if message.pattern == pane.pattern:
            pane.show(message.compactions)
            self._filled("compactions", empty=not message.compactions and not pane.pattern)

    @on(CompactionList.ShareRequested)
    def _share_wanted(self, message: CompactionList.ShareRequested) -> None:
        if self.view == "compactions" and not self.reviewing:
            self.run_newest("share", lambda: self.library.share_kept(message.row))

    @on(messages.ShareCounted)
    def _share_counted(self, message: messages.ShareCounted) -> None:
        self.query_one(CompactionList).take_share(message.compaction, message.share)

    @on(messages.PullRequestsLoaded)
    def _pull_requests_loaded(self, message: messages.PullRequestsLoaded) -> None:
        self.query_one(PrList).show(message.pull_requests)
        self._filled("prs", empty=not message.pull_requests)

    @on(CompactionList.Chosen)
    def _compaction_chosen(self, message: CompactionList.Chosen) -> None:
        self.show_turn(Target(message.session, message.turn), read=False)
        if message.read and (turn := message.turn) is not None:
            self.run_newest("review", lambda: self.library.review(message.session, turn))

    @on(messages.ReviewMade)
    def _review_made(self, message: messages.ReviewMade) -> None:
        shown = self.query_one(ReviewList)
        shown.show(message.review, message.turns)
        self.reviewing = True
        self.go_to(shown)

    @on(ReviewList.Chosen)
    def _review_turn_chosen(self, message: ReviewList.Chosen) -> None:
        self.show_turn(Target(message.session, message.turn, message.words), read=message.read)

    def watch_reviewing(self) -> None:
        """Show the review in the place of the list, or the list again."""
        set_pane_class(self.query_one("#left"), self.reviewing, "-reviewing")

    @on(PrList.Chosen)
    def _linked_turn_chosen(self, message: PrList.Chosen) -> None:
        self.show_turn(Target(message.session, message.turn), read=message.read)

    @on(PrList.BrowserRequested)
    def _browser_wanted(self, message: PrList.BrowserRequested) -> None:
        if not message.url.startswith(("https://", "http://")) or not webbrowser.open(message.url):
            self.notify(message.url, title="No browser could be opened", markup=False)

    # -- statistics --------------------------------------------------------------------------------------------

    @on(StatsPane.RangeRequested)
    def _range_wanted(self) -> None:
        self.fill_view()

    @on(StatsPane.ProjectRequested)
    def _project_wanted(self) -> None:
        shown = self.shown
        if self._counted is None and shown is None:
            self.notify("No session is open.")
            return
        self._counted = (shown.root, shown.project) if self._counted is None and shown is not None else None
        self.fill_view()

    @on(messages.StatisticsLoaded)
    def _statistics_loaded(self, message: messages.StatisticsLoaded) -> None:
        counted = self._counted
        if message.root == (counted[0] if counted is not None else None):
            self.query_one(StatsPane).show(message.statistics, counted[1] if counted is not None else "all projects")

    # -- the way round -----------------------------------------------------------------------------------------

    def back_in_view(self) -> bool:
        """One step back inside the view, or to the sessions; False when those are shown."""
        if self.view == "sessions":
            return False
        focused = self.focused
        if self.view == "compactions" and self.reviewing:
            self.reviewing = False
            self.go_to(self.query_one(CompactionsPane).entered)
            self.query_one(CompactionList).want_share()
        elif isinstance(focused, Timeline):
            self.go_to(self.query_one(FileList))
        elif isinstance(focused, Input) and focused.value:
            focused.value = ""
        elif isinstance(focused, Input):
            self.go_to(self.view_list)
        else:
            self.view = "sessions"
        return True
