"""The main screen: the search line, a view at the left, the open session beside it, and the status line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from textual import events
from textual.actions import parse
from textual.app import ComposeResult
from textual.binding import BindingsMap
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from memtui.browse.actions.annotating import AnnotationController
from memtui.browse.actions.commits import CommitController
from memtui.browse.actions.export import ExportController
from memtui.browse.actions.fixes import FixController
from memtui.browse.actions.forgetting import ForgetController
from memtui.browse.actions.full_screen import FullScreenController
from memtui.browse.actions.handoff import HandoffController
from memtui.browse.actions.programs import ProgramRunner
from memtui.browse.actions.reminders import ReminderController
from memtui.browse.actions.rewind import RewindController
from memtui.browse.actions.settings import SettingsEditor
from memtui.browse.actions.sharing import ShareController
from memtui.browse.actions.start import StartController
from memtui.browse.controllers import Controllers
from memtui.browse.find import FindController
from memtui.browse.first_steps import FirstStepsController
from memtui.browse.focus import PaneFocus
from memtui.browse.frame import ViewFrame
from memtui.browse.index_status import IndexStatus
from memtui.browse.navigation import Navigation
from memtui.browse.search.controller import SearchController
from memtui.browse.search.line import SearchLineController
from memtui.browse.search.saved_searches import SavedSearches
from memtui.keys.actions import Action
from memtui.keys.declarations import BROWSE_KEYS
from memtui.services.app_services import AppServices
from memtui.services.index_poll import IndexPoll
from memtui.services.index_service import IndexService
from memtui.services.observation_service import ObservationService
from memtui.services.preload import IndexPreload
from memtui.services.sharing_service import SharingService
from memtui.settings.app_state import AppState
from memtui.startup.kept_list import KeptList
from memtui.views import registry
from memtui.views.base import View
from memtui.widgets.pane_visibility import add_width_class
from memtui.widgets.requests.pane_widths import WIDTH_CLASSES
from memtui.widgets.requests.target import AppStart
from memtui.widgets.search.line import SearchLine
from memtui.widgets.status.line import StatusLine
from memtui.widgets.transcript.keys import KEYS_BESIDE
from memtui.wording.startup_text import OPENING


class BrowseScreen(Screen[None]):
    """Puts the widgets together, and registers the controllers, which declare what messages and actions they handle."""

    CSS_PATH = "browse.tcss"
    BINDING_GROUP_TITLE = "Everywhere"
    AUTO_FOCUS = ""
    """None: the search bar would get it until the list is there, and the first keys would be its text."""
    HORIZONTAL_BREAKPOINTS = [(least, f"-{name}") for least, name in WIDTH_CLASSES]  # noqa: RUF012

    def __init__(
        self,
        data_dir: Path,
        state: AppState,
        *,
        sources_text: Callable[[], str],
        handoff_options: Mapping[str, Any],
        preload: IndexPreload | None,
        first_steps: bool,
        first_list: KeptList | None,
        keeps_list: bool,
        vectors: str,
        sharing: SharingService,
        start: AppStart | None = None,
    ) -> None:
        """With `first_steps` the first start of all shows what to try."""
        super().__init__()
        self._is_first_start = first_steps
        self._start = start or AppStart()
        keys = [*(view.shows for view in registry.VIEWS), *BROWSE_KEYS, *KEYS_BESIDE]
        self._turn_actions = {key.action_name for key in keys if key.needs_turn}
        own = BindingsMap(keys).key_to_bindings
        # The bindings of this screen replace those of Textual, and come before them.
        self._bindings = BindingsMap.from_keys(own | self._bindings.key_to_bindings | own)
        index = IndexService(data_dir, self, preload, vectors)
        observations = ObservationService(data_dir, index)
        self.services = AppServices(
            index, observations, state, sharing, first_list, keeps_list, sources_text, handoff_options
        )
        self._poll = IndexPoll(self, index)
        self._controllers = Controllers(self)
        self._status_line = StatusLine()

    def compose(self) -> ComposeResult:
        """The tabs of the views, the search line, the panes, the find bar and the status line."""
        add_width_class(self)
        self._frame = frame = ViewFrame(self, self.services)
        self._search_line = SearchLine()
        self.reader = frame.reader
        self._find = FindController(self.reader.transcript)
        self.reader.transcript.shows_minimap = self.services.state.shows_minimap
        if self.services.shown_list is None:
            frame.chosen_view.empty_text = OPENING
        yield frame.tabs
        yield self._search_line
        yield frame.body
        yield self._find.bar
        yield self._status_line

    def more_actions(self) -> list[Action]:
        """What the palette offers besides the keys."""
        return [*self.settings.actions(), *self.saved_searches.actions()]

    def actions_elsewhere(self) -> list[Action]:
        """What the palette finds besides: the keys of the other views, each of which shows its view."""
        from memtui.browse.keymap_check import view_keys

        return [
            Action(replace(key, action=view.shows.action, tooltip=f"In view {view.titles[0]}: {key.tooltip}"), self)
            for view in registry.VIEWS
            if view.name != self._frame.name
            for key in view_keys(view.package)
        ]

    def on_unmount(self) -> None:
        """Close the connection to the team's server."""
        self.services.index.close_team()

    def on_mount(self) -> None:
        """Create the controllers; open the index after the first paint."""
        index, state, frame, reader = self.services.index, self.services.state, self._frame, self.reader
        bar = self._search_line.bar
        self._focus = focus = PaneFocus(self, frame, bar)
        search = SearchController(index, self._search_line, frame, focus)
        line = SearchLineController(index, self._search_line, search, frame, focus)
        first_steps = FirstStepsController(self, index, state, due=self._is_first_start)
        programs = ProgramRunner(self, reader, index.data_dir)
        self.settings = SettingsEditor(self, programs)
        export = ExportController(self, index, reader)
        forgetting = ForgetController(self, index)
        start = StartController(self, index, frame, focus, line, self._start)
        self._status = IndexStatus(self, self.services, frame, self._status_line)
        self.saved_searches = SavedSearches(self, state, bar, frame.results, line.search_for)
        self._controllers.register(
            self._status,
            first_steps,
            reader.loader,
            reader.reading,
            reader.feed,
            search,
            focus,
            line,
            self.saved_searches,
            self._find,
            frame,
            frame.panes,
            Navigation(self, frame, focus, line, self._find, self._status, first_steps, start),
            start,
            FullScreenController(self, index, frame),
            CommitController(self, index, frame),
            ReminderController(self, index, frame),
            programs,
            self.settings,
            forgetting,
            AnnotationController(self, index, forgetting),
            export,
            FixController(self, index, focus, reader),
            HandoffController(self, self.services, reader, export, programs),
            ShareController(self, index, reader),
            RewindController(self, index, reader, programs),
        )
        for name in self._turn_actions - {"inspector"}:
            # The key may come before the session of the row to which the cursor has just moved.
            action = getattr(self, f"action_{name}")
            setattr(self, f"action_{name}", partial(reader.loader.when_shown, action))
        self.watch(frame.panes, "zoom", self._show_zoom, init=False)
        self.watch(reader.transcript, "shows_minimap", state.show_minimap, init=False)
        reader.reading.show_list(frame.name, frame.name)
        line.show_filter()
        if not frame.chosen_view.is_empty:
            # At once, for the first paint; `Widget.focus` comes later.
            self.set_focus(frame.chosen_view.focus_target)
        self.call_after_refresh(self._poll.start)
        self.call_after_refresh(self._status.follow_machines)

    def _get_dispatch_methods(
        self, method_name: str, message: Message
    ) -> Iterable[tuple[type, Callable[[Message], Awaitable[Any]]]]:
        """What handles a message here, as Textual asks for it: methods of the screen, then those of the controllers."""
        yield from super()._get_dispatch_methods(method_name, message)
        for handler in self._controllers.handlers(message):
            yield type(self), handler

    @property
    def view(self) -> str:
        """Name of the chosen view."""
        return self._frame.name

    @property
    def list_pane(self) -> View:
        """The view whose list is shown."""
        return self._frame.list_pane

    def indexer_stopped(self, text: str) -> None:
        """Say why the indexer has ended by itself: the cause and the remedy; empty when it was started again."""
        self._status.indexer_stopped(text)

    def remark(self, text: str) -> None:
        """Say something that is not urgent on the status line."""
        self._status_line.add_remark(text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the actions on a turn while a detail pane, or a list of the whole width, replaces the transcript."""
        if action not in self._turn_actions or not self.is_mounted:
            return True
        return self.list_pane.SHARE is not None and self.list_pane.detail is None

    def key_name(self, action: str) -> str | None:
        """A key of the transcript beside the list is named as there (`NamesKeys`)."""
        _, name, parameters = parse(action)
        if name != "in_transcript" or not self.is_mounted:
            return None
        return self._frame.reader.transcript.key_name(str(parameters[0]))

    def watch_focused(self, before: Widget | None, focused: Widget | None) -> None:
        """Mark no pane when Textual takes the focus from a pane that is hidden."""
        if focused is None and self.is_mounted:
            self._focus.lost(before)

    def _show_zoom(self) -> None:
        self._status_line.hint = "z: all panes" if self._frame.panes.is_full else ""

    def on_resize(self, event: events.Resize) -> None:
        """Share the new width before anything is laid out for it."""
        self._frame.panes.fit(event.size.width)
