"""The app: connects the main screen, the theme, the keymap and the indexer."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import constants, events
from textual.app import App, InvalidThemeError
from textual.binding import BindingType
from textual.css.query import NoMatches
from textual.driver import Driver
from textual.filter import LineFilter
from textual.notifications import Notify
from textual.screen import Screen
from textual.theme import BUILTIN_THEMES, Theme
from textual.timer import Timer
from textual.widget import Widget

from memtui.keys.declarations import APP_KEYS, usable_keymap
from memtui.settings.app_state import AppState
from memtui.settings.config import Config
from memtui.settings.legible import LegibleText, ReversedText, legible
from memtui.system.input_order import InputOrder, is_input
from memtui.system.plain_console import PlainConsole
from memtui.system.timers import call_after
from memtui.wording.formatting import plural
from memtui_core.index.folder import DataDir, Typing
from memtui_core.system.failures import failure_text
from memtui_core.text.controls import plain

if TYPE_CHECKING:
    from textual.css.query import DOMQuery

    from memtui.keys.actions import Action
    from memtui.services.indexer_process import IndexerProcess
    from memtui.services.preload import IndexPreload
    from memtui.startup.kept_list import KeptList
    from memtui.widgets.requests.panes import CopyRequested
    from memtui.widgets.requests.target import AppStart
    from memtui.widgets.status.line import StatusLine
    from memtui_core.readers.locations import Location

_log = logging.getLogger(__name__)
_INDEXER_DELAY = 0.3
"""Seconds between the first sessions on the screen and the start of the indexer."""
_USER_INPUT = (events.Key, events.Paste, events.MouseDown, events.MouseScrollUp, events.MouseScrollDown)
_TERMINAL_COLOURS = "ansi-dark"
"""The theme that leaves the colours to the terminal: without colours, and where 16 would stand for all others."""
_CLEANUP = "cleanup"
"""The notice that an agent deletes its transcripts, among those that were shown."""
_LONG = 365
"""Days: users who keep transcripts longer have changed the setting and know of it."""
_INDEXER_CHECK = 1.0
"""Seconds between two checks whether the indexer still runs."""
_RESTARTS, _RESTARTS_WITHIN = 3, 600.0
"""How often an indexer that was ended from outside is started again, and within how many seconds."""


class MemtuiApp(App[None]):
    """Shows an index and keeps it up to date with a child process, unless `run_indexer` is False.

    `sources_text()` lists the folders that are searched for sessions, for the screen that has none to show; `greeting`
    is shown once at the start; with `first_steps` the first start of all shows what to try; `themes` are the user's
    own; `first_list` is shown until the index is open, at first without the rest of the main screen; with `keeps_list`
    the list is kept for the next start; `start` says what to do first. If
    the app was started to choose a session, its `return_value` is the answer: `SESSION` or `SESSION:TURN`.
    """

    TITLE = "memtui"
    BINDING_GROUP_TITLE = "Everywhere"
    BINDINGS: ClassVar[list[BindingType]] = [*APP_KEYS]
    PAUSE_GC_ON_SCROLL = True

    def __init__(
        self,
        data_dir: Path,
        sources: Sequence[Path] = (),
        config: Config | None = None,
        *,
        run_indexer: bool = True,
        sources_text: Callable[[], str] = str,
        preload: IndexPreload | None = None,
        greeting: str = "",
        first_steps: bool = False,
        themes: Iterable[Theme] = (),
        first_list: KeptList | None = None,
        keeps_list: bool = False,
        start: AppStart | None = None,
    ) -> None:
        # Without colours Textual would turn those of the terminal into black on black, unless told at the start.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.error_console = PlainConsole(markup=False, highlight=False, stderr=True)
        self._data_dir = data_dir
        self._sources = sources
        self._config = config or Config()
        self._run_indexer = run_indexer
        self._sources_text = sources_text
        self._preload = preload
        self._greeting = greeting
        self._first_steps = first_steps
        self._start = start
        for theme in themes:
            self.register_theme(theme)
        self._unknown_theme: list[str] = []
        """What is to say of the theme of the settings, if there is none of its name."""
        self._indexer: IndexerProcess | None = None
        self._legible_text, self._reversed_text = LegibleText(), ReversedText()
        self._typing = Typing(DataDir(data_dir))
        self._stopped = False
        """Whether the indexer has ended by itself."""
        self._restarts: list[float] = []
        """When the indexer was started again because it had been ended, in seconds of the monotonic clock."""
        self._shown_warnings: set[str] = set()
        """The warnings of the indexer that were shown."""
        self._check_timer: Timer | None = None
        self._first_list, self._keeps_list = first_list, keeps_list
        self.state = AppState(data_dir)
        self._input_order = InputOrder(self)

    def get_css_variables(self) -> dict[str, str]:
        """The colours of the theme, the illegible ones replaced."""
        variables = super().get_css_variables()
        return variables | legible(variables, self.current_theme.dark)

    def get_driver_class(self) -> type[Driver]:
        """Textual's driver for this system; on Linux and macOS one that ends the app when its terminal is gone."""
        from memtui.system.terminals import own_driver

        return (None if constants.DRIVER else own_driver()) or super().get_driver_class()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The filters of Textual and one of ours: it keeps text reversed without colours, else it makes it legible."""
        filters = super().get_line_filters()
        return (self._reversed_text, *filters) if self.no_color else (*filters, self._legible_text)

    def get_default_screen(self) -> Screen[Any]:
        """The list that was kept, if there is one; else Textual's empty screen."""
        if self._first_list is None or self.state.grouping:
            return super().get_default_screen()
        from memtui.startup.start_screen import StartScreen

        self._input_order.hold()
        return StartScreen(self._first_list, self.state)

    def on_mount(self) -> None:
        """Choose the user's keymap and theme, and show the main screen: after the list, if that is shown already."""
        self._look_as_set()
        self.screen_change_signal.subscribe(self, self._input_order.screen_changed, immediate=True)
        if self._input_order.is_held:
            self.call_after_refresh(self._show_main_screen)
        else:
            self._show_main_screen()

    def look_as(self, config: Config) -> None:
        """Use the keymap and the theme of changed settings."""
        self._config = config
        self._look_as_set()

    def _look_as_set(self) -> None:
        self.set_keymap(usable_keymap(self._config.keymap))
        self._choose_theme()

    def _show_main_screen(self) -> None:
        from memtui.browse.screen import BrowseScreen
        from memtui.services.sharing_service import SharingService

        config = self._config
        self._browse = screen = BrowseScreen(
            self._data_dir,
            self.state,
            sharing=SharingService(self._data_dir, config.share, config.groups, config.exclusions),
            sources_text=self._sources_text,
            handoff_options=self._config.handoff,
            vectors=self._config.vectors,
            preload=self._preload,
            first_steps=self._first_steps,
            first_list=self._first_list,
            keeps_list=self._keeps_list,
            start=self._start,
        )
        self.watch(screen, "focused", self._list_focused, init=False)
        self.push_screen(screen)
        self.call_after_refresh(self._warn_of_settings)
        if self._greeting:
            self._remark(self._greeting)

    def _list_focused(self, focused: Widget | None) -> None:
        if focused is not None:
            self._input_order.release()

    def _choose_theme(self) -> None:
        """Show the theme of the settings, else the one that was chosen last."""
        if self.no_color:
            self.theme = _TERMINAL_COLOURS
            return
        has_few_colours = self.console.color_system in {"standard", "windows"}
        theme = self._config.theme or self.state.theme or (_TERMINAL_COLOURS if has_few_colours else self.theme)
        try:
            self.theme = theme
        except InvalidThemeError:
            from memtui.settings.own_themes import no_such_theme

            self._unknown_theme = [no_such_theme(theme, self.available_themes)]

    async def on_event(self, event: events.Event) -> None:
        """Let the indexer pause while the user types, clicks or scrolls; `esc` closes the notifications as well."""
        if isinstance(event, _USER_INPUT):
            self._typing.touch()
        if not is_input(event):
            await super().on_event(event)
        elif self._input_order.admits(event):
            if isinstance(event, events.Key) and event.key == "escape":
                self.clear_notifications()
            screen, focused = self.screen, self.focused
            await super().on_event(event)
            self._input_order.follow(event, screen, focused)

    def _warn_of_settings(self) -> None:
        from memtui.browse.keymap_check import keymap_warnings

        warnings = [*self._config.warnings, *keymap_warnings(self._config.keymap), *self._unknown_theme]
        if len(warnings) == 1:
            self._remark(f"Settings: {warnings[0]}")
        elif warnings:
            self._remark(f"{len(warnings)} mistakes in the settings: memtui doctor lists them.")

    def _remark(self, text: str) -> None:
        """Say at the start what is not urgent: on one line that covers nothing, when the index is made."""
        self._browse.remark(plain(" ".join(text.split())))

    # The names of these handlers are those of messages: their modules are imported with the main screen.

    def on_index_absent(self) -> None:
        """Make an index."""
        self._input_order.release()
        self._start_indexer()

    on_index_unreadable = on_index_absent

    def on_index_changed(self) -> None:
        """Start the indexer after the first paint, for which it would compete with the app."""
        self._input_order.release()
        if self._run_indexer:
            call_after(self, _INDEXER_DELAY, self._start_indexer)

    def on_indexer_requested(self) -> None:
        """Start the indexer again if it has stopped."""
        if self._stopped:
            self._stopped = False
            self._run_indexer = True
            self._browse.indexer_stopped("")
            self._start_indexer()

    def _start_indexer(self) -> None:
        if self._run_indexer:
            self._run_indexer = False
            try:
                from memtui.services.indexer_process import IndexerProcess

                self._indexer = IndexerProcess(self._data_dir, self._sources)
            except OSError as error:
                self._report_stop(failure_text(error, self._data_dir))
                return
            self._tell_of_sweeps()
            self._tell_of_drift()
            if self._check_timer is None:
                self._check_timer = self.set_interval(_INDEXER_CHECK, self._check_indexer)

    def _check_indexer(self) -> None:
        if self._indexer is None:
            return
        warnings, failure = self._indexer.warnings(), self._indexer.failure()
        for text in warnings:
            if text != failure and text not in self._shown_warnings:
                self._shown_warnings.add(text)
                self.notify(text, severity="warning", timeout=20, markup=False)
        if failure is not None:
            was_ended = self._indexer.was_ended
            self._indexer.stop()
            self._indexer = None
            if was_ended and self._may_restart():
                _log.warning("The indexer is started again: %s", failure)
                self.notify(f"{failure} It was started again.", severity="warning", timeout=20, markup=False)
                self._run_indexer = True
                self._start_indexer()
            else:
                self._report_stop(failure)

    def _may_restart(self) -> bool:
        """Whether an indexer that was ended may be started again by itself: not one that ends again and again."""
        now = time.monotonic()
        self._restarts = [at for at in self._restarts if now - at < _RESTARTS_WITHIN]
        if len(self._restarts) >= _RESTARTS:
            return False
        self._restarts.append(now)
        return True

    def _report_stop(self, text: str) -> None:
        _log.error("The indexer stopped: %s", text)
        self._stopped = True
        self._browse.indexer_stopped(text)

    def _handle_exception(self, error: Exception) -> None:
        """Log a crash; Textual then restores the terminal and prints the traceback.

        A screen that opens while the app ends does not get its widgets, and not to find them is no crash.
        """
        if self._exit and isinstance(error, NoMatches):
            return
        _log.critical("The app crashed.", exc_info=error)
        super()._handle_exception(error)

    def on_unmount(self) -> None:
        """Stop the indexer."""
        if self._indexer is not None:
            self._indexer.stop()

    def notify(self, message: str, *, title: str = "", **options: Any) -> None:
        """Show a notification without control characters, which errors and paths can contain."""
        super().notify(plain(message), title=plain(title), **options)

    def on_notify(self, event: Notify) -> None:
        """Show a short remark in the status line, which covers nothing, and what is shown already only once."""
        new = event.notification
        for line in cast("DOMQuery[StatusLine]", self.screen.query("StatusLine")):
            if new.severity == "information" and not new.title and line.show_notice(new.message, new.timeout):
                # No toast.
                event.prevent_default()
                return
        for shown in list(self._notifications):
            if (shown.message, shown.title, shown.severity) == (new.message, new.title, new.severity):
                self._unnotify(shown, refresh=False)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text, and notify the user how many lines went where."""
        self._start_copy(text, plural(text.count("\n") + 1, "line"))

    def on_copy_requested(self, request: CopyRequested) -> None:
        """Copy what a pane asks for."""
        self._start_copy(request.text, request.what)

    def _start_copy(self, text: str, what: str) -> None:
        """Copy without the control characters, because a terminal into which the text is pasted could obey them."""
        self._clipboard = plain(text)
        self.run_worker(partial(self._copy, self._clipboard, what), thread=True, exit_on_error=False)

    def _copy(self, text: str, what: str) -> None:
        """Copy in a thread, because other programs take their time."""
        from memtui.system.clipboard import copy

        try:
            place = copy(text, self._data_dir, partial(self.call_from_thread, super().copy_to_clipboard))
        except OSError as error:
            failure = f"{what} not copied. {failure_text(error, self._data_dir)}"
            self.call_from_thread(self.notify, failure, severity="error", timeout=8, markup=False)
        else:
            self.call_from_thread(self.notify, f"{what} copied · to {place}", markup=False)

    def _tell_of_sweeps(self) -> None:
        """Tell the user, once for each time for which an agent keeps sessions, that it is about to delete some."""
        from memtui.system import clock
        from memtui.wording.kept_text import sweep_remark
        from memtui_core.index.statistics import Sweep
        from memtui_core.readers.locations import chosen_locations

        locations, now = chosen_locations(self._sources, exclusions=self._config.exclusions), clock.now()

        def tell(sweeps: list[Sweep]) -> None:
            for sweep in sweeps:
                kept = sweep.retention
                period = now.toordinal() // max(1, kept.days)
                if self.state.first_time(f"sweep {kept.agent} {period}"):
                    # It says of the setting what the other remark says.
                    self.state.first_time(_CLEANUP)
                    self._remark(sweep_remark(sweep))
            self._tell_of_cleanup(locations)

        index = self._browse.services.index
        if index.snapshot is None:
            self._tell_of_cleanup(locations)
        else:
            index.query("sweeps", lambda opened: opened.statistics.sweeps(locations, now), tell)

    def _tell_of_cleanup(self, locations: Sequence[Location]) -> None:
        """Tell the user, only once, that an agent deletes its transcripts after some time."""
        from memtui_core.readers.locations import retention

        for location in locations:
            kept = retention(location)
            if kept is not None and kept.days <= _LONG and self.state.first_time(_CLEANUP):
                self._remark(f"{kept.name} deletes sessions after {plural(kept.days, 'day')}; memtui keeps them.")

    def _tell_of_drift(self) -> None:
        """Tell the user, once for each version of an agent, that it writes entries which memtui does not know."""
        from memtui_core.index.statistics import Drift, drifts_of

        def tell(drifts: list[Drift]) -> None:
            for drift in drifts:
                if drift.kinds and self.state.first_time(f"drift {drift.agent} {drift.kinds_version}"):
                    self._remark(f"{drift.name} writes entries that memtui does not know: memtui doctor")

        index = self._browse.services.index
        # The sample sessions have an entry of an unknown kind on purpose.
        if index.snapshot is not None and not self._greeting:
            index.query("drift", lambda opened: drifts_of(opened.statistics.by_agent()), tell)

    def action_command_palette(self) -> None:
        """Show all actions by name; run the one that is chosen there."""
        from memtui.screens.filtered import FilteredScreen
        from memtui.screens.palette import ActionOffer

        async def closed(action: Action | None) -> None:
            if action is not None:
                self.state.use_action(action.key.id)
                await action.run(self)

        self.push_screen(FilteredScreen(ActionOffer(self.screen, self.state)), closed)

    def action_change_theme(self) -> None:
        """Show the themes; keep the one that is chosen there."""
        from memtui.screens.filtered import FilteredScreen
        from memtui.screens.themes import ThemeOffer

        before = self.theme

        def show(name: str) -> None:
            self.theme = name

        def closed(name: str | None) -> None:
            show(name or before)
            if name is None:
                return
            self.state.choose_theme(name)
            if self._config.theme not in {None, name}:
                text = f"The next start shows {self._config.theme} again, as the settings say."
                self.notify(text, markup=False)

        themes = [*self.available_themes.values()]
        self.push_screen(FilteredScreen(ThemeOffer(themes, before, BUILTIN_THEMES, show)), closed)

    def action_toggle_help(self) -> None:
        """Show the keys of the focused pane; run the action that is chosen there."""
        from memtui.screens.help.screen import HelpScreen

        async def closed(action: Action | None) -> None:
            if action is not None:
                await action.run(self)

        self.push_screen(HelpScreen(self.screen), closed)

    def action_help_quit(self) -> None:
        """Show the keys that quit the app."""
        self.notify("q quits, ctrl+q also while typing.")
