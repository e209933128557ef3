"""The main screen: the search line, a view at the left, the open session beside it, and the status line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingsMap
from textual.reactive import var
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from memtui import messages, requests
from memtui.app_state import AppState
from memtui.browse.export import ExportController
from memtui.browse.find import FindController
from memtui.browse.full_screen import FullScreenController
from memtui.browse.handoff import HandoffController
from memtui.browse.hit_list import HitList
from memtui.browse.panes import Panes
from memtui.browse.programs import ProgramRunner
from memtui.browse.reader import SessionReader
from memtui.browse.results_view import ResultsView
from memtui.browse.saved_searches import SavedSearches, SavedSearchProvider
from memtui.browse.search import SearchController
from memtui.browse.search_line import SearchLineController
from memtui.browse.searches_view import SearchesView, SearchList
from memtui.keys import browse_bindings
from memtui.pane_widths import WIDTH_CLASSES
from memtui.services.app_services import AppServices
from memtui.services.index_poll import IndexPoll
from memtui.services.index_service import IndexService
from memtui.services.observation_service import ObservationService
from memtui.services.preload import IndexPreload
from memtui.startup_text import OPENING, no_sessions_text, reading_text
from memtui.views import registry
from memtui.views.base import View
from memtui.widgets.find_bar import FindBar
from memtui.widgets.first_steps import NOTICE, FirstSteps
from memtui.widgets.inspector import Inspector
from memtui.widgets.inspector_rail import InspectorRail
from memtui.widgets.row_list import RowList
from memtui.widgets.search_bar import SearchBar
from memtui.widgets.search_line import SearchLine
from memtui.widgets.status_line import StatusLine
from memtui.widgets.transcript import Transcript
from memtui.widgets.transcript.keys import KEYS_BESIDE
from memtui.widgets.view_tabs import ViewTab, ViewTabs
from memtui_core.model import Progress, Session

_TURN_ACTIONS: Final = frozenset(
    {"inspector", "copy_id", "export", "export_turn", "handoff", "resume", "turn", "in_transcript"}
)
"""Actions on the current turn: they are disabled while a detail pane replaces the transcript."""


class BrowseScreen(Screen[None]):
    """Frames the views of the registry, and decides which view and, in a narrow terminal, which pane is shown."""

    CSS_PATH = "browse.tcss"
    BINDING_GROUP_TITLE = "Everywhere"
    COMMANDS = {SavedSearchProvider}  # noqa: RUF012
    HORIZONTAL_BREAKPOINTS = [(least, f"-{name}") for least, name in WIDTH_CLASSES]  # noqa: RUF012

    progress: var[Progress | None] = var[Progress | None](None)
    """The last report of the indexer."""
    stopped: var[str] = var("")
    """The reason why the indexer has stopped; empty while it runs, or if none was started."""
    shown: var[Session | None] = var[Session | None](None)
    """The open session."""
    view: var[str] = var("", init=False)
    """Name of the chosen view."""

    def __init__(
        self,
        data_dir: Path,
        state: AppState,
        *,
        sources_text: str = "",
        handoff_options: Mapping[str, Any] | None = None,
        preload: IndexPreload | None = None,
        first_steps: bool = False,
    ) -> None:
        """With `first_steps` the first start of all shows what to try."""
        super().__init__()
        self._first_steps = first_steps
        own = BindingsMap([*browse_bindings(registry.commands()), *KEYS_BESIDE]).key_to_bindings
        # The bindings of this screen replace those of Textual, and come before them.
        self._bindings = BindingsMap.from_keys(own | self._bindings.key_to_bindings | own)
        index = IndexService(data_dir, self, preload)
        observations = ObservationService(data_dir, index)
        self.services = AppServices(index, observations, state, sources_text, handoff_options or {})
        self._views = {view.NAME: view(self.services) for view in registry.VIEWS}
        self._results = ResultsView(self.services)
        self._searches = SearchesView(self.services)
        self._focused: dict[str, Widget] = {}
        """The panes that had the focus in the views that are not shown, by their names."""
        self._last_focused: Widget | None = None
        """The pane of the chosen view that had the focus last."""
        self._poll = IndexPoll(self, index)
        self._has_index = False
        self._unreadable = ""
        """The reason why the index cannot be opened, as it was last reported."""

    def compose(self) -> ComposeResult:
        """The tabs of the views, the search line, the panes, the find bar and the status line."""
        # The class for the width is set before the widgets exist, or all of them would be styled twice.
        names = [name for least, name in self.HORIZONTAL_BREAKPOINTS if self.app.size.width >= least]
        self.add_class(names[-1], update=False)
        first, *_ = self._views.values()
        self.set_reactive(BrowseScreen.view, first.NAME)
        first.empty_text = OPENING
        tabs = [
            ViewTab(view.NAME, view.KEY, view.TITLE, view.SHORT_TITLE or view.TITLE) for view in self._views.values()
        ]
        self._tabs = ViewTabs(tabs, id="header")
        self._tabs.view = first.NAME
        self._search_line = SearchLine(id="search-line")
        self._find_bar = FindBar("session", id="find")
        self._left = ContentSwitcher(*self._views.values(), self._results, self._searches, id="left", initial=first.id)
        details = [pane for view in self._views.values() for pane in view.compose_detail()]
        self._banners = [banner for view in self._views.values() for banner in view.compose_banner()]
        self.reader = SessionReader(self.services.index, details)
        self.reader.transcript.shows_minimap = self.services.state.shows_minimap
        for view in self._views.values():
            view.data_bind(BrowseScreen.shown)
        self._panes = Panes(self._left, self.reader, self.services.state, first, self.app.size.width)
        yield self._tabs
        yield self._search_line
        for banner in self._banners:
            banner.add_class("banner")
            yield banner
        yield self._panes
        yield self._find_bar
        yield StatusLine().data_bind(BrowseScreen.progress, BrowseScreen.stopped)

    def on_mount(self) -> None:
        """Create the controllers; open the index after the first paint."""
        index, state = self.services.index, self.services.state
        line = self._search_line
        self._search = SearchController(index, line, self._results, self.reader, self._set_searching)
        self._line = SearchLineController(
            line, self._search, self._searches, self.reader, lambda: self._chosen_view, self._frame_list
        )
        self._find = FindController(self.reader.transcript, self._find_bar)
        self._full_screen = FullScreenController(self, index)
        self._programs = ProgramRunner(self)
        self._export = ExportController(self, index)
        self._handoff = HandoffController(self, self.services, self._export, self._programs)
        self.saved_searches = SavedSearches(self, state, line.bar, self._results, self.search_for)
        self.reader.switch(self.view, self.view)
        self._line.show_filter()
        self.list_pane.focus_target.focus()
        self.call_after_refresh(self._poll.start)

    # -- the index ---------------------------------------------------------------------------------------------

    @on(messages.IndexChanged)
    def _index_changed(self, message: messages.IndexChanged) -> None:
        if not self._has_index:
            self._has_index = True
            for view in self._views.values():
                view.empty_text = ""
        self.query_one(StatusLine).stats = message.stats
        if self._first_steps and message.stats.sessions:
            self._first_steps = False
            if self.services.state.first_time(NOTICE):
                self.mount(FirstSteps(), before="#panes")
        self._chosen_view.reload()
        self.reader.grow()
        self._search.index_changed()
        self.services.index.load_model()
        self.services.index.query("filter values", lambda index: index.filter_values(), self._show_filter_values)

    def _show_filter_values(self, values: Mapping[str, Sequence[str]]) -> None:
        self._search_line.bar.values = values

    @on(messages.IndexAbsent)
    def _index_absent(self) -> None:
        if not self.stopped:
            self._chosen_view.empty_text = self._startup_text()

    @on(messages.IndexUnreadable)
    def _index_unreadable(self, message: messages.IndexUnreadable) -> None:
        """Report each reason once, not at every check."""
        if message.text != self._unreadable:
            self._unreadable = message.text
            self.notify(message.text, severity="error", timeout=8, markup=False)
        if not self._has_index:
            self._chosen_view.empty_text = f"{message.text}\n\nR tries again."

    @on(messages.IndexerStopped)
    def _indexer_stopped(self, message: messages.IndexerStopped) -> None:
        self.stopped = message.text
        if not message.text:
            return
        text = f"{message.text}\n\nR starts it again."
        if self._has_index:
            self.notify(text, title="Indexing has stopped", severity="error", timeout=20, markup=False)
        else:
            self._chosen_view.empty_text = f"Indexing has stopped.\n\n{text}"

    @on(messages.Progressed)
    def _progressed(self, message: messages.Progressed) -> None:
        self.progress = message.progress

    @on(messages.JobFailed)
    def _job_failed(self, message: messages.JobFailed) -> None:
        self.notify(message.text, severity="error", timeout=8, markup=False)

    def _startup_text(self) -> str:
        if self.progress is not None and self.progress.finished:
            return no_sessions_text(self.services.index.data_dir, self.services.sources_text, None)
        return reading_text(self.progress)

    def action_refresh_index(self) -> None:
        """Look for a newer snapshot now, and start the indexer again if it has stopped."""
        self._unreadable = ""
        self.post_message(requests.IndexerRequested())
        self.services.index.refresh(force=True)

    # -- the first start ---------------------------------------------------------------------------------------

    @on(FirstSteps.Closed)
    def _close_first_steps(self) -> bool:
        """Remove the card of the first start; False if it is not shown."""
        cards = self.query(FirstSteps)
        is_shown = bool(cards)
        cards.remove()
        return is_shown

    # -- views -------------------------------------------------------------------------------------------------

    @property
    def _chosen_view(self) -> View:
        return self._views[self.view]

    @property
    def list_pane(self) -> View:
        """The chosen view, or during a search the view of the hits, or before it that of the saved searches."""
        if self._line.shows_searches:
            return self._searches
        return self._results if self._search.is_active else self._chosen_view

    def action_view(self, name: str) -> None:
        """Show another view as it was left, and end the search; in the chosen view, go to its list."""
        view = self._views[name]
        read = self.reader.take_over(name) if view.REVEALS else None
        pane = self._show_view(name)
        if read is not None:
            view.reveal(read)
        self.go_to(pane if read is None else view.focus_target)

    def _show_view(self, name: str) -> Widget:
        """Show a view, and end the search; return the pane that had the focus there."""
        before = self.view
        if name != before:
            focused = self.focused
            if focused is not None and not {self._chosen_view, self.reader}.isdisjoint(focused.ancestors):
                self._focused[before] = focused
            if self.list_pane is not self._chosen_view:
                self._focused.pop(before, None)
            self.view = name
            self._last_focused = None
        self._line.clear()
        pane = self._focused.get(name) if name != before else None
        return pane or self._chosen_view.focus_target

    def watch_view(self) -> None:
        """Show the chosen view."""
        self._tabs.view = self.view
        self._frame_list()
        view = self._chosen_view
        if self._has_index:
            view.reload()
        elif not view.is_empty:
            view.empty_text = self.stopped or self._startup_text()

    def _frame_list(self) -> None:
        """Show the list pane in the layout of its view, with its detail pane and its banner if it has them."""
        pane = self.list_pane
        self._left.current = pane.id
        owner = pane.NAME if pane is self._results else self.view
        self.reader.switch(owner, self.view)
        if self._chosen_view.REVEALS and owner == self.view:
            self.reader.forget_read()
        self._show_detail()

    @on(View.DetailChanged)
    def _show_detail(self) -> None:
        pane = self.list_pane
        self.reader.show_detail(pane.detail)
        # The saved searches leave the widths as they are.
        keeps_widths = pane is self._searches and self._chosen_view.SHARE is not None
        self._panes.show(self._chosen_view if keeps_widths else pane)
        self._show_banner()
        self.refresh_bindings()

    @on(Panes.Arranged)
    def _show_banner(self) -> None:
        """Show the banner of the view, if its list is visible."""
        for banner in self._banners:
            banner.set_class(banner is self.list_pane.banner and self._panes.shows_list, "-shown")

    @on(View.EmptyChanged)
    def _empty_changed(self, message: View.EmptyChanged) -> None:
        if message.view is not self.list_pane:
            return
        if message.view.is_empty and message.view.has_focus_within:
            # Otherwise keys would go to a widget that is not visible.
            self.set_focus(None)
            self._panes.enter(None)
        elif not message.view.is_empty and self.focused is None and not self._search.is_active:
            self.go_to(message.view.focus_target)

    @on(View.TurnRequested)
    def _turn_requested(self, message: View.TurnRequested) -> None:
        if message.view is not (self._results if self._search.is_active else self._chosen_view) and not message.read:
            # Its rows were loaded after the user went to another view.
            if message.view is not self._results:
                self.reader.prepare(message.view.NAME, message.target)
            return
        self.reader.open(message.target, at_once=message.read)
        if message.read:
            self._close_first_steps()
            self.go_to(self.reader.transcript)

    @on(View.FocusRequested)
    def _focus_requested(self, message: View.FocusRequested) -> None:
        if not {self.list_pane, self.list_pane.banner, self.reader}.isdisjoint(message.pane.ancestors_with_self):
            self.go_to(message.pane)

    @on(SessionReader.SessionShown)
    def _session_shown(self, message: SessionReader.SessionShown) -> None:
        self.shown = message.session
        self._panes.fit()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the actions on a turn while a detail pane replaces the transcript."""
        return not (action in _TURN_ACTIONS and self.is_mounted and self.list_pane.detail is not None)

    # -- search ------------------------------------------------------------------------------------------------

    def action_search(self) -> None:
        """Focus the search line; `esc` in the empty line leads back."""
        self.go_to(self._line.enter())

    def search_for(self, query: str) -> None:
        """Search for a query, with the cursor in the search line."""
        self.go_to(self._line.search_for(query))

    def _set_searching(self, searching: bool) -> None:
        self._line.update_searches()
        self._frame_list()
        if not searching:
            self._results.empty_text = ""

    @on(View.SearchRequested)
    def _search_requested(self, message: View.SearchRequested) -> None:
        if message.query is None:
            self.action_search()
        else:
            self.search_for(message.query)

    @on(SearchBar.Typed)
    def _query_typed(self, message: SearchBar.Typed) -> None:
        self._line.typed(message.text)

    @on(SearchBar.ScopeRequested)
    def _scope_requested(self, message: SearchBar.ScopeRequested) -> None:
        self._line.change_scope(everything=message.everything)
        self.go_to(self._search_line.bar)

    @on(SearchBar.HitsRequested)
    def _hits_requested(self, message: SearchBar.HitsRequested) -> None:
        pane = self.list_pane
        rows = pane.list_target
        if message.step:
            if isinstance(rows, RowList):
                rows.step(message.step)
        elif pane.is_empty:
            return
        elif message.read and pane is self._results:
            self._results.hits.read()
        elif not message.read or self._line.is_filter:
            self.go_to(rows)

    @on(SearchBar.KeyPressed)
    async def _key_pressed(self, message: SearchBar.KeyPressed) -> None:
        is_visible = self._panes.shows_text and self.list_pane.detail is None
        for node in (self.reader.transcript, self) if is_visible else (self,):
            for binding in node._bindings.key_to_bindings.get(message.key, ()):
                if await self.app.run_action(binding.action, node):
                    return

    @on(SearchBar.Left)
    def _search_left(self) -> None:
        self._line.clear()
        self._return_to_pane()

    def _return_to_pane(self) -> None:
        """Go back from the line, the saved searches or the hits to the pane that had the focus before."""
        pane = self._last_focused
        self.go_to(pane if pane is not None and pane.display else self.list_pane.focus_target)

    @on(SearchBar.SaveRequested)
    def _save_requested(self, message: SearchBar.SaveRequested) -> None:
        self.saved_searches.toggle(message.text)

    @on(SearchList.Picked)
    def _search_picked(self, message: SearchList.Picked) -> None:
        self._search_line.bar.put(message.query)
        self.go_to(self._search_line.bar)

    @on(SearchList.Changed)
    def _searches_changed(self) -> None:
        self.saved_searches.update_bar()

    @on(HitList.MoreRequested)
    def _more_hits_requested(self, message: HitList.MoreRequested) -> None:
        self._search.load_more(message.shown)

    @on(events.DescendantFocus, "#hits")
    def _hits_focused(self) -> None:
        self.saved_searches.add_recent()

    @on(HitList.Chosen)
    def _hit_chosen(self, message: HitList.Chosen) -> None:
        if message.read:
            self.saved_searches.add_recent()

    @on(Transcript.NextHitRequested)
    def _next_hit(self, message: Transcript.NextHitRequested) -> None:
        """Open the next or the previous hit: the user went beyond the last or the first passage of a hit."""
        if not self._search.is_active or not self._results.step_to_hit(message.direction):
            self.notify("This is the last passage." if message.direction > 0 else "This is the first passage.")

    @on(Inspector.FileChosen)
    def _search_file(self, message: Inspector.FileChosen) -> None:
        self.search_for(message.path)

    @on(messages.ModelMissing)
    def _model_missing(self, message: messages.ModelMissing) -> None:
        self.notify(message.text, severity="warning", timeout=8, markup=False)
        self._search.repeat()

    @on(messages.ModelLoaded)
    def _model_loaded(self) -> None:
        self._search.repeat()

    # -- find --------------------------------------------------------------------------------------------------

    @on(Transcript.FindRequested)
    def _find_requested(self) -> None:
        self._find.open()

    @on(FindBar.Typed)
    def _find_typed(self, message: FindBar.Typed) -> None:
        self._find.find(message.text)

    @on(FindBar.MatchRequested)
    def _match_requested(self, message: FindBar.MatchRequested) -> None:
        self._find.step(message.direction)

    @on(FindBar.Left)
    def _find_left(self, message: FindBar.Left) -> None:
        self._find.close(keep=message.keep)

    # -- the open session --------------------------------------------------------------------------------------

    @on(requests.ToolCallRequested)
    def _call_requested(self, message: requests.ToolCallRequested) -> None:
        self._full_screen.show_call(message)

    @on(requests.FileContentRequested)
    def _content_requested(self, message: requests.FileContentRequested) -> None:
        self._full_screen.show_content(message)

    @on(requests.EditorRequested)
    def _editor_requested(self, message: requests.EditorRequested) -> None:
        self._programs.edit(message)

    @on(requests.FileHandoffRequested)
    def _file_handoff_requested(self, message: requests.FileHandoffRequested) -> None:
        self._handoff.open_file(message.path, message.root)

    @on(Transcript.MinimapSwitched)
    def _minimap_switched(self, message: Transcript.MinimapSwitched) -> None:
        self.services.state.show_minimap(message.shown)

    def action_handoff(self) -> None:
        """Show the hand-off of the open session."""
        self._handoff.open_session(self.reader.session, self.reader.transcript.number)

    def action_resume(self) -> None:
        """Ask for confirmation, then resume the open session in its agent."""
        self._programs.resume(self.reader.session)

    def action_export(self) -> None:
        """Write the open session to a file in the current folder."""
        if (session := self.reader.session) is not None:
            self._export.choose_format(session, None)

    def action_export_turn(self) -> None:
        """Write the current turn to a file in the current folder."""
        if (session := self.reader.session) is not None:
            self._export.choose_format(session, self.reader.transcript.number)

    def action_copy_id(self) -> None:
        """Copy the id of the open session with the number of the current turn."""
        session = self.reader.session
        if session is None:
            self.notify("No session is open.")
            return
        text = f"{session.session_id}:{self.reader.transcript.number}"
        self.post_message(requests.CopyRequested(text, text))

    def action_jump(self, direction: int) -> None:
        """Go to the turn that was read previously (-1) or next (1), in the view in which it was read."""
        entry = self.reader.step(direction)
        if entry is None:
            self.notify("There is no previous turn." if direction < 0 else "There is no next turn.")
            return
        if entry.view != self.view:
            self._show_view(entry.view)
        self._chosen_view.reset_detail()
        self.reader.return_to(entry)
        self.go_to(self.reader.transcript)

    def action_inspector(self) -> None:
        """Show or hide the inspector, beside the transcript or in a narrower terminal in its place."""
        pane = self._panes.toggle_inspector()
        if pane is not None:
            self.go_to(pane)

    @on(InspectorRail.TabRequested)
    def _tab_requested(self, message: InspectorRail.TabRequested) -> None:
        if message.tab is not None:
            self.reader.inspector.tab = message.tab
        self.action_inspector()

    async def action_in_transcript(self, action: str) -> None:
        """Run an action of the transcript, if it is visible beside the list."""
        if self._panes.shows_text:
            await self.app.run_action(action, self.reader.transcript)

    def action_turn(self, direction: int) -> None:
        """Go to the next turn (1) or the previous one (-1) in the transcript, if it is visible."""
        if self._panes.shows_text:
            self.reader.step_turn(direction)

    # -- panes -------------------------------------------------------------------------------------------------

    def go_to(self, pane: Widget) -> None:
        """Focus a pane, and show it if only one fits."""
        self._panes.enter(pane)
        pane.focus()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Make a pane visible that was focused by a click."""
        self._panes.enter(event.widget)
        self._line.focus_moved(event.widget)
        if not self._search.is_active and not {
            self._chosen_view,
            self._chosen_view.banner,
            self.reader,
        }.isdisjoint(event.widget.ancestors_with_self):
            self._last_focused = event.widget

    def action_zoom(self) -> None:
        """Make the current pane larger; after the largest size comes the normal one."""
        self._panes.cycle_zoom()

    def action_resize(self, direction: int) -> None:
        """Make the current pane larger (1) or smaller (-1)."""
        self._panes.step_zoom(direction)

    @on(Panes.ZoomChanged)
    def _zoom_changed(self) -> None:
        self.query_one(StatusLine).hint = "z: all panes" if self._panes.is_full else ""

    def action_pane(self, step: int) -> None:
        """Focus the next pane (1) or the previous one (-1)."""
        # The saved searches come and go with the focus of the line, so they are no pane of their own.
        view = self._results if self._search.is_active else self._chosen_view
        panes: list[Widget] = [self._search_line.bar]
        if not view.is_empty:
            panes += view.panes
        if view.SHARE is not None:
            panes += view.detail_targets or (self.reader.transcript,)
            if self.reader.inspector.display:
                panes.append(self.reader.inspector)
        current = panes.index(self.focused) if self.focused in panes else 0
        self.go_to(panes[(current + step) % len(panes)])

    def action_back(self) -> None:
        """Go one step back: close the card, else from a find, the transcript, the search, to the first view."""
        view = self.list_pane
        if self._close_first_steps():
            return
        if self._panes.is_full and self.focused is not self._search_line.bar:
            self._panes.zoom = "normal"
        elif self.reader.is_peeking:
            self.go_to(self.reader.transcript)
        elif self.reader.transcript.has_focus and self._find.is_active:
            self._find.end()
        elif self.focused is not None and self.reader in self.focused.ancestors:
            view.leave_reader()
        elif view is not self._chosen_view:
            self._line.clear()
            self._return_to_pane()
        elif not view.step_back() and not self._line.clear_filter():
            self._to_first_view()

    def _to_first_view(self) -> None:
        self.action_view(next(iter(self._views)))
        self.go_to(self.list_pane.focus_target)

    def on_resize(self, event: events.Resize) -> None:
        """Share the new width before anything is laid out for it."""
        self._panes.fit(event.size.width)
