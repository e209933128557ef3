"""The main screen: the search line, a view at the left, the open session beside it, and the status line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingsMap
from textual.screen import Screen
from textual.widget import Widget

from memtui import messages, requests
from memtui.app_state import AppState
from memtui.browse.find import FindController
from memtui.browse.first_steps import FirstStepsController
from memtui.browse.focus import PaneFocus
from memtui.browse.frame import ViewFrame
from memtui.browse.hit_list import HitList
from memtui.browse.index_status import IndexStatus
from memtui.browse.navigation import Navigation
from memtui.browse.panes import Panes
from memtui.browse.reader import SessionReader
from memtui.browse.saved_searches import SavedSearches, SavedSearchProvider
from memtui.browse.search import SearchController
from memtui.browse.search_line import SearchLineController
from memtui.browse.searches_view import SearchList
from memtui.kept_list import KeptList
from memtui.keys import BROWSE_KEYS
from memtui.pane_widths import WIDTH_CLASSES
from memtui.services.app_services import AppServices
from memtui.services.index_poll import IndexPoll
from memtui.services.index_service import IndexService
from memtui.services.observation_service import ObservationService
from memtui.services.preload import IndexPreload
from memtui.startup_text import OPENING
from memtui.views import registry
from memtui.views.base import View
from memtui.widgets.find_bar import FindBar
from memtui.widgets.first_steps import FirstSteps
from memtui.widgets.inspector import Inspector
from memtui.widgets.inspector_rail import InspectorRail
from memtui.widgets.pane_visibility import add_width_class
from memtui.widgets.search_bar import SearchBar
from memtui.widgets.search_line import SearchLine
from memtui.widgets.status_line import StatusLine
from memtui.widgets.transcript import Transcript
from memtui.widgets.transcript.keys import KEYS_BESIDE

if TYPE_CHECKING:
    from memtui.browse.export import ExportController
    from memtui.browse.full_screen import FullScreenController
    from memtui.browse.handoff import HandoffController
    from memtui.browse.programs import ProgramRunner


class BrowseScreen(Screen[None]):
    """Puts the widgets together, and passes actions and messages to the objects that know what to do."""

    CSS_PATH = "browse.tcss"
    BINDING_GROUP_TITLE = "Everywhere"
    COMMANDS = {SavedSearchProvider}  # noqa: RUF012
    AUTO_FOCUS = ""
    """None: the search bar would get it until the list is there, and the first keys would be its text."""
    HORIZONTAL_BREAKPOINTS = [(least, f"-{name}") for least, name in WIDTH_CLASSES]  # noqa: RUF012

    def __init__(
        self,
        data_dir: Path,
        state: AppState,
        *,
        sources_text: Callable[[], str] = str,
        handoff_options: Mapping[str, Any] | None = None,
        preload: IndexPreload | None = None,
        first_steps: bool = False,
        first_list: KeptList | None = None,
        keeps_list: bool = False,
        vectors: str = "auto",
    ) -> None:
        """With `first_steps` the first start of all shows what to try."""
        super().__init__()
        self._is_first_start = first_steps
        keys = [*(view.shows for view in registry.VIEWS), *BROWSE_KEYS, *KEYS_BESIDE]
        self._turn_actions = {key.action_name for key in keys if key.needs_turn}
        own = BindingsMap(keys).key_to_bindings
        # The bindings of this screen replace those of Textual, and come before them.
        self._bindings = BindingsMap.from_keys(own | self._bindings.key_to_bindings | own)
        index = IndexService(data_dir, self, preload, vectors)
        observations = ObservationService(data_dir, index)
        self.services = AppServices(
            index, observations, state, first_list, keeps_list, sources_text, handoff_options or {}
        )
        self._poll = IndexPoll(self, index)

    def compose(self) -> ComposeResult:
        """The tabs of the views, the search line, the panes, the find bar and the status line."""
        add_width_class(self)
        self._frame = frame = ViewFrame(self, self.services)
        self._search_line = SearchLine(id="search-line")
        self._find_bar = FindBar("session", id="find")
        self._status_line = StatusLine()
        self.reader = frame.reader
        self.reader.transcript.shows_minimap = self.services.state.shows_minimap
        if self.services.shown_list is None:
            frame.chosen_view.empty_text = OPENING
        yield frame.tabs
        yield self._search_line
        yield frame.body
        yield self._find_bar
        yield self._status_line

    def on_mount(self) -> None:
        """Create the controllers; open the index after the first paint."""
        index, state = self.services.index, self.services.state
        frame, line = self._frame, self._search_line
        self._focus = PaneFocus(self, frame, line.bar)
        self._search = SearchController(index, line, frame, self._focus)
        self._line = SearchLineController(index, line, self._search, frame, self._focus)
        self._find = FindController(self.reader.transcript, self._find_bar)
        self._status = IndexStatus(self, self.services, frame, self._status_line)
        self._first_steps = FirstStepsController(self, state, due=self._is_first_start)
        self._navigation = Navigation(self, frame, self._focus, self._line, self._find, self._status, self._first_steps)
        self.saved_searches = SavedSearches(self, state, line.bar, frame.results, self._line.search_for)
        self.watch(self.reader.transcript, "shows_minimap", state.show_minimap, init=False)
        self.reader.reading.show_list(frame.name, frame.name)
        self._line.show_filter()
        if not frame.chosen_view.is_empty:
            # At once, for the first paint; `Widget.focus` comes later.
            self.set_focus(frame.chosen_view.focus_target)
        self.call_after_refresh(self._poll.start)

    # Controllers that few starts need: their modules are imported when they are first used.

    @cached_property
    def _full_screen(self) -> FullScreenController:
        from memtui.browse.full_screen import FullScreenController

        return FullScreenController(self, self.services.index)

    @cached_property
    def _programs(self) -> ProgramRunner:
        from memtui.browse.programs import ProgramRunner

        return ProgramRunner(self)

    @cached_property
    def _export(self) -> ExportController:
        from memtui.browse.export import ExportController

        return ExportController(self, self.services.index)

    @cached_property
    def _handoff(self) -> HandoffController:
        from memtui.browse.handoff import HandoffController

        return HandoffController(self, self.services, self._export, self._programs)

    @property
    def view(self) -> str:
        """Name of the chosen view."""
        return self._frame.name

    @property
    def list_pane(self) -> View:
        """The view whose list is shown."""
        return self._frame.list_pane

    # -- the index ---------------------------------------------------------------------------------------------

    @on(messages.IndexChanged)
    def _index_changed(self, message: messages.IndexChanged) -> None:
        self._status.index_changed(message.stats)
        self._first_steps.index_changed(message.stats)
        self.reader.reading.grow()
        self._search.index_changed()
        self.services.index.update_vectors()
        self._line.index_changed()

    @on(messages.IndexAbsent)
    def _index_absent(self) -> None:
        self._status.index_absent()

    @on(messages.IndexUnreadable)
    def _index_unreadable(self, message: messages.IndexUnreadable) -> None:
        self._status.index_unreadable(message.text)

    def indexer_stopped(self, text: str) -> None:
        """Say why the indexer has ended by itself: the cause and the remedy; empty when it was started again."""
        self._status.indexer_stopped(text)

    @on(messages.Progressed)
    def _progressed(self, message: messages.Progressed) -> None:
        self._status.progressed(message.progress)

    @on(messages.JobFailed)
    def _job_failed(self, message: messages.JobFailed) -> None:
        self._status.failed(message.text)
        self.reader.loader.drop_steps()

    @on(messages.ModelMissing)
    def _model_missing(self, message: messages.ModelMissing) -> None:
        self.notify(message.text, severity="warning", timeout=8, markup=False)
        self._search.repeat()

    @on(messages.ModelLoaded)
    def _model_loaded(self) -> None:
        self._search.repeat()

    def action_refresh_index(self) -> None:
        """Look for a newer snapshot now, and start the indexer again if it has stopped."""
        self._status.refresh()

    @on(FirstSteps.Closed)
    def _close_first_steps(self) -> None:
        self._first_steps.close()

    # -- views -------------------------------------------------------------------------------------------------

    async def action_view(self, name: str) -> None:
        """Show another view as it was left, and end the search; in the chosen view, go to its list."""
        await self._navigation.open_view(name)

    def action_jump(self, direction: int) -> None:
        """Go to the turn that was read previously (-1) or next (1), in the view in which it was read."""
        self._navigation.jump(direction)

    def action_back(self) -> None:
        """Go one step back."""
        self._navigation.go_back()

    @on(View.TurnRequested)
    def _turn_requested(self, message: View.TurnRequested) -> None:
        self._navigation.open_turn(message)

    @on(View.DetailChanged)
    def _detail_changed(self) -> None:
        self._frame.show_detail()

    @on(View.EmptyChanged)
    def _empty_changed(self, message: View.EmptyChanged) -> None:
        self._focus.view_emptied(message.view)

    @on(View.FocusRequested)
    def _focus_requested(self, message: View.FocusRequested) -> None:
        self._focus.grant(message.pane)

    @on(SessionReader.SessionShown)
    def _session_shown(self, message: SessionReader.SessionShown) -> None:
        self._frame.panes.fit()
        self.call_after_refresh(self._frame.session_shown, message.session)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the actions on a turn while a detail pane, or a list of the whole width, replaces the transcript."""
        if action not in self._turn_actions or not self.is_mounted:
            return True
        return self.list_pane.SHARE is not None and self.list_pane.detail is None

    # -- search ------------------------------------------------------------------------------------------------

    def action_search(self) -> None:
        """Focus the search line; `esc` in the empty line leads back."""
        self._search.prepare()
        self.services.index.use_model()
        self._line.enter()

    @on(View.SearchRequested)
    def _search_requested(self, message: View.SearchRequested) -> None:
        if message.search is None:
            self._line.enter()
        else:
            self._line.search_turns(message.search)

    @on(SearchBar.Typed)
    def _query_typed(self, message: SearchBar.Typed) -> None:
        self._line.typed(message.text)

    @on(SearchBar.ScopeRequested)
    def _scope_requested(self, message: SearchBar.ScopeRequested) -> None:
        self._line.change_scope(everything=message.everything)

    @on(SearchBar.HitsRequested)
    def _hits_requested(self, message: SearchBar.HitsRequested) -> None:
        if message.step:
            self._line.step_hits(message.step)
        else:
            self._line.go_to_hits(read=message.read)

    @on(SearchBar.KeyPressed)
    async def _key_pressed(self, message: SearchBar.KeyPressed) -> None:
        is_visible = self._frame.panes.shows_text and self.list_pane.detail is None
        for node in (self.reader.transcript, self) if is_visible else (self,):
            bindings = node._bindings.copy()
            bindings.apply_keymap(self.app._keymap)
            for binding in bindings.key_to_bindings.get(message.key, ()):
                if await self.app.run_action(binding.action, node):
                    return

    @on(SearchBar.Left)
    def _search_left(self) -> None:
        self._line.leave()

    @on(SearchBar.SaveRequested)
    def _save_requested(self, message: SearchBar.SaveRequested) -> None:
        self.saved_searches.toggle(message.text)

    @on(SearchList.Picked)
    def _search_picked(self, message: SearchList.Picked) -> None:
        self._line.pick(message.query)

    @on(SearchList.Changed)
    def _searches_changed(self) -> None:
        self.saved_searches.update_bar()

    @on(HitList.MoreRequested)
    def _more_hits_requested(self, message: HitList.MoreRequested) -> None:
        self._search.load_more(message.shown)

    @on(events.DescendantFocus, "#hits")
    def _hits_focused(self) -> None:
        self.saved_searches.add_recent()

    @on(HitList.HitChosen)
    def _hit_chosen(self, message: HitList.HitChosen) -> None:
        if message.read:
            self.saved_searches.add_recent()

    @on(Transcript.NextHitRequested)
    def _next_hit(self, message: Transcript.NextHitRequested) -> None:
        self._navigation.open_next_hit(message.direction)

    @on(Inspector.FileChosen)
    def _search_file(self, message: Inspector.FileChosen) -> None:
        self._line.search_for(message.path)

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

    def action_inspector(self) -> None:
        """Show or hide the inspector, beside the transcript or in a narrower terminal in its place."""
        pane = self._frame.panes.toggle_inspector()
        if pane is not None:
            self._focus.go_to(pane)

    @on(InspectorRail.TabRequested)
    def _tab_requested(self, message: InspectorRail.TabRequested) -> None:
        if message.tab is not None:
            self.reader.inspector.tab = message.tab
        self.action_inspector()

    async def action_in_transcript(self, action: str) -> None:
        """Run an action of the transcript, if it is visible beside the list."""
        if self._frame.panes.shows_text:
            await self.app.run_action(action, self.reader.transcript)

    def action_turn(self, direction: int) -> None:
        """Go to the next turn (1) or the previous one (-1) in the transcript, if it is visible."""
        if self._frame.panes.shows_text:
            self.reader.loader.step_turn(direction)

    # -- panes -------------------------------------------------------------------------------------------------

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Make a pane visible that was focused by a click."""
        self._focus.moved(event.widget)
        self._line.focus_moved(event.widget)

    def watch_focused(self, before: Widget | None, focused: Widget | None) -> None:
        """Mark no pane when Textual takes the focus from a pane that is hidden."""
        if focused is None and self.is_mounted:
            self._focus.lost(before)

    def action_pane(self, step: int) -> None:
        """Focus the next pane (1) or the previous one (-1)."""
        self._focus.step(step)

    def action_zoom(self) -> None:
        """Make the current pane larger; after the largest size comes the normal one."""
        self._frame.panes.cycle_zoom()

    def action_resize(self, direction: int) -> None:
        """Make the current pane larger (1) or smaller (-1)."""
        self._frame.panes.step_zoom(direction)

    @on(Panes.ZoomChanged)
    def _zoom_changed(self) -> None:
        self._status_line.hint = "z: all panes" if self._frame.panes.is_full else ""

    @on(Panes.Arranged)
    def _panes_arranged(self) -> None:
        self._frame.show_banner()

    def on_resize(self, event: events.Resize) -> None:
        """Share the new width before anything is laid out for it."""
        self._frame.panes.fit(event.size.width)
