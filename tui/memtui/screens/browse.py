"""The sessions screen: tree or hits at the left, the transcript, the inspector."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Static

from memtui import messages
from memtui.formatting import plural, read_share
from memtui.keys import bindings
from memtui.screens.noting import NotingScreen
from memtui.screens.pane_visibility import set_pane_class
from memtui.services.preload import IndexPreload
from memtui.target import Target
from memtui.views.compactions.compaction_list import CompactionsPane
from memtui.views.compactions.review_list import ReviewList
from memtui.views.files.file_list import FileList
from memtui.views.files.view import FilesPane
from memtui.views.pull_requests.pr_list import PrList
from memtui.views.sessions.tree import SessionTree
from memtui.views.stats.stats_pane import StatsPane
from memtui.views.timeline.observation_pane import ObservationPane
from memtui.views.timeline.timeline_list import TimelinePane
from memtui.widgets.filtered_pane import FilterBar, FilteredPane
from memtui.widgets.find_bar import FindBar
from memtui.widgets.hit_list import HitList
from memtui.widgets.inspector import Inspector
from memtui.widgets.row_list import RowList
from memtui.widgets.search_bar import SearchBar
from memtui.widgets.status_line import StatusLine
from memtui.widgets.transcript import Transcript
from memtui.widgets.view_tabs import ViewTabs
from memtui_core.model import Stats
from memtui_core.system.locations import data_dir


class BrowseScreen(NotingScreen):
    """Owns what is chosen at the left, and which pane is in sight where there is room for one only."""

    CSS_PATH = "browse.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("browse")

    reading = var(False, init=False)
    """In a narrow terminal: the transcript is shown instead of the list."""

    def __init__(self, data_dir: Path, places_text: str, opening: IndexPreload | None = None) -> None:
        super().__init__(data_dir, opening)
        self.add_class("-empty")
        self._places_text = places_text
        self._ready = False
        """There is an index."""

    def compose(self) -> ComposeResult:
        """The bar above, panes, the line below."""
        self.take_width()
        yield ViewTabs(id="header")
        yield SearchBar(id="search")
        with Horizontal(id="panes"):
            with Vertical(id="left"):
                yield SessionTree(id="tree")
                yield FilesPane(id="files-pane")
                yield CompactionsPane(id="compactions-pane")
                yield ReviewList(id="review")
                yield PrList(id="prs")
                yield TimelinePane(id="timeline-pane")
                yield HitList(id="hits")
                yield Static("Opening the index …", id="left-empty", markup=False)
            yield Transcript(id="transcript")
            yield ObservationPane(id="note")
            yield Inspector(id="inspector")
            yield StatsPane(id="stats")
        yield FindBar(id="find")
        yield StatusLine().data_bind(BrowseScreen.progress, BrowseScreen.stopped)

    def on_mount(self) -> None:
        """Start in the tree."""
        self.query_one(SessionTree).border_title = "projects"
        for pane, title in ((HitList, "hits"), (PrList, "pull requests")):
            self.query_one(pane).border_title = title
        self.query_one(SessionTree).focus()

    # -- the index ---------------------------------------------------------------------------------------------

    @on(messages.IndexChanged)
    def _index_changed(self, message: messages.IndexChanged) -> None:
        self._ready = True
        self.query_one(StatusLine).stats = message.stats
        self.query_one(SessionTree).show_projects(message.projects)
        if not self.query_one(SearchBar).value.strip() and self.view == "sessions":
            self.say_empty("" if message.projects else self._nothing_found(message.stats))

    @on(messages.IndexAbsent)
    def _index_absent(self) -> None:
        progress = self.progress
        if self.stopped:
            return
        if progress is not None and progress.finished:
            self.say_empty(self._nothing_found(None))
            return
        share = f" {read_share(progress)} %" if progress is not None and progress.total else ""
        self.say_empty(f"Reading your sessions …{share}\n\nThe newest come first.")

    @on(messages.IndexUnreadable)
    def _say_unreadable(self, message: messages.IndexUnreadable) -> None:
        if not self._ready:
            self.say_empty(f"{message.text}\n\nr tries again.")

    @on(messages.IndexerStopped)
    def _say_stopped(self, message: messages.IndexerStopped) -> None:
        if not message.text:
            return
        said = f"{message.text}\n\nr starts it again."
        if self._ready:
            self.notify(said, title="Indexing has stopped", severity="error", timeout=20, markup=False)
        else:
            self.say_empty(f"Indexing has stopped.\n\n{said}")

    def _nothing_found(self, stats: Stats | None) -> str:
        """Where it was looked, and who tells more; `stats` None before anything was indexed."""
        said = f"No sessions found in\n{self._places_text}\n\n"
        if stats is not None and stats.sources:
            failed = stats.bad_sources or stats.skipped_lines
            what = "could not be read" if failed else "holds no session" if stats.sources == 1 else "hold no session"
            count = stats.bad_sources or stats.sources
            # Of another data folder than its own the doctor must be told.
            folder = "" if self.data_dir == data_dir() else f" --data-dir {shlex.quote(str(self.data_dir))}"
            said += f"{plural(count, 'file')} there {what}.\nmemtui doctor{folder}\nsays why.\n\n"
        return f"{said}memtui --source FOLDER looks elsewhere,\nmemtui demo shows sample sessions."

    def say_empty(self, text: str) -> None:
        """Words instead of a list; none for the empty text."""
        said = self.query_one("#left-empty", Static)
        # Called with each answer while a query is typed, where nothing changes and new words lay the screen out anew.
        if text != said.content:
            said.update(text)
            set_pane_class(self, bool(text), "-empty")
            left = self.query_one("#left")
            if text and left.has_focus_within:
                # Keys would go to what is not in sight.
                self.set_focus(None)
            elif not text and self.focused is None and not self.searching:
                self.go_to(self.list_shown)

    # -- tree --------------------------------------------------------------------------------------------------

    @on(SessionTree.SessionsRequested)
    def _sessions_wanted(self, message: SessionTree.SessionsRequested) -> None:
        self.run_job(lambda: self.library.sessions(message.project))

    @on(messages.SessionsLoaded)
    def _sessions_loaded(self, message: messages.SessionsLoaded) -> None:
        self.query_one(SessionTree).show_sessions(message.project, message.sessions)

    @on(SessionTree.ChildrenRequested)
    def _children_wanted(self, message: SessionTree.ChildrenRequested) -> None:
        self.run_job(lambda: self.library.children(message.session))

    @on(messages.ChildrenLoaded)
    def _children_loaded(self, message: messages.ChildrenLoaded) -> None:
        self.query_one(SessionTree).show_children(message.session, message.children, message.compactions)

    @on(SessionTree.Chosen)
    def _session_chosen(self, message: SessionTree.Chosen) -> None:
        self.show_turn(Target(message.session, message.at), read=message.read)

    def show_turn(self, target: Target, *, read: bool) -> None:
        """Show a turn; `read` when the person wants to go there."""
        self.open_session(target, at_once=read)
        if read:
            self.go_to(self.query_one(Transcript))

    # -- search ------------------------------------------------------------------------------------------------

    def action_search(self) -> None:
        """Focus the search bar; in a list that has a filter, that."""
        inside = [pane for pane in self.query(FilteredPane) if pane.has_focus_within]
        self.go_to(inside[0].bar if inside else self.query_one(SearchBar))

    @on(FilterBar.SearchRequested)
    def _search_wanted(self) -> None:
        self.go_to(self.query_one(SearchBar))

    def action_view(self, name: str) -> None:
        """Show another view; a search ends."""
        self.query_one(SearchBar).value = ""
        self.view = name
        if name == "files":
            self.go_to(self.query_one(FileList))
        else:
            self.go_to(self.list_shown)

    @on(SessionTree.TitleSearchRequested)
    def _titles_wanted(self) -> None:
        bar = self.query_one(SearchBar)
        bar.value = "in:title "
        bar.cursor_position = len(bar.value)
        self.go_to(bar)

    @on(RowList.LeftAtTop, "#hits")
    def _back_to_bar(self) -> None:
        self.go_to(self.query_one(SearchBar))

    @on(SearchBar.Left)
    def _back_to_tree(self) -> None:
        self.go_to(self.list_shown)

    @on(Inspector.FileChosen)
    def _file_chosen(self, message: Inspector.FileChosen) -> None:
        bar = self.query_one(SearchBar)
        bar.value = message.path
        self.go_to(bar)

    # -- panes -------------------------------------------------------------------------------------------------

    @property
    def list_shown(self) -> Widget:
        """The list at the left."""
        if self.searching:
            return self.query_one(HitList)
        return self.query_one(SessionTree) if self.view == "sessions" else self.view_list

    def go_to(self, pane: Widget) -> None:
        """Focus a pane; where there is room for one only, it is the one in sight."""
        self._bring_up(pane)
        pane.focus()

    def watch_reading(self) -> None:
        """Where there is room for one pane only, another one is in sight; elsewhere no style has to be looked up."""
        set_pane_class(self, self.reading and self.has_class("-narrow"), "-reading")

    def _bring_up(self, pane: Widget) -> None:
        self.reading = isinstance(pane, (Transcript, ObservationPane, Inspector, FindBar))
        self.peeking = isinstance(pane, Inspector) and not self.has_class("-wide")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A click on a pane brings it up too."""
        self._bring_up(event.widget)

    def action_pane(self, step: int) -> None:
        """Focus the next pane, or the one before."""
        panes: list[Widget] = [self.query_one(SearchBar), self.list_shown, self.text_pane]
        if self.query_one(Inspector).display:
            panes.append(self.query_one(Inspector))
        if self.view == "stats" and not self.searching:
            panes = panes[:2]
        panes = [pane for pane in panes if pane is not self.list_shown or not self.has_class("-empty")]
        here = panes.index(self.focused) if self.focused in panes else 0
        self.go_to(panes[(here + step) % len(panes)])

    def action_back(self) -> None:
        """One step back: from the text to the list, from the hits to the query, from the query to the tree."""
        if self.has_class("-helping"):
            self.app.run_worker(self.app.run_action("toggle_help"))
        elif self.peeking:
            self.go_to(self.query_one(Transcript))
        elif isinstance(self.focused, (Transcript, ObservationPane, Inspector)):
            self.go_to(self.list_shown)
        elif self.searching:
            self.query_one(SearchBar).value = ""
            self.go_to(self.list_shown)
        elif self.back_in_view() and self.view == "sessions":
            self.go_to(self.query_one(SessionTree))

    def action_inspector(self) -> None:
        """Show or hide the inspector; where there is no room beside the transcript, instead of it."""
        if self.has_class("-wide"):
            self.inspecting = not self.inspecting
            if not self.inspecting and isinstance(self.focused, Inspector):
                self.go_to(self.query_one(Transcript))
        else:
            self.go_to(self.query_one(Transcript if self.peeking else Inspector))
        self.inspect(self.query_one(Transcript).number)

    def on_resize(self) -> None:
        """With another width there is another room for panes, and the inspector stands elsewhere."""

        def fit() -> None:
            self.watch_reading()
            self.inspect(self.query_one(Transcript).number)

        self.call_after_refresh(fit)
