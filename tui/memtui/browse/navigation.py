"""Where the user goes: from view to view, back and forth in what was read, and one step back."""

from __future__ import annotations

from collections.abc import Awaitable
from itertools import chain

from textual.screen import Screen
from textual.widget import Widget

from memtui.browse.actions.start import StartController
from memtui.browse.controllers import handles
from memtui.browse.find import FindController
from memtui.browse.first_steps import FirstStepsController
from memtui.browse.focus import PaneFocus
from memtui.browse.frame import ViewFrame
from memtui.browse.index_status import IndexStatus
from memtui.browse.search.line import SearchLineController
from memtui.views.base import View
from memtui.widgets.search.bar import SearchBar
from memtui.widgets.transcript.widget import TranscriptPane


class Navigation:
    """Shows what the user goes to, and puts the focus there."""

    def __init__(
        self,
        screen: Screen[None],
        frame: ViewFrame,
        focus: PaneFocus,
        line: SearchLineController,
        find: FindController,
        status: IndexStatus,
        first_steps: FirstStepsController,
        start: StartController,
    ) -> None:
        self._screen = screen
        self._frame = frame
        self._focus = focus
        self._line = line
        self._find = find
        self._status = status
        self._first_steps = first_steps
        self._start = start

    async def action_view(self, name: str) -> None:
        """Show another view as it was left, and end the search; in the chosen view, go to its list."""
        self._open(await self._frame.load(name))

    def _open(self, view: View) -> None:
        session = self._frame.reader.reading.move_last_read(view.view_name) if view.REVEALS else None
        pane = self._show_view(view)
        if session is not None:
            view.reveal(session)
        self._focus.go_to(pane if session is None else view.focus_target)

    def _show_view(self, view: View) -> Widget:
        """Show a view, and end the search; return the pane that had the focus there."""
        if view is self._frame.chosen_view:
            self._line.clear()
            return view.focus_target
        self._focus.leave_view()
        self._frame.choose(view.view_name)
        self._status.load(view)
        self._line.clear()
        return self._focus.target_in(view)

    @handles(View.ProjectRequested)
    async def open_project(self, message: View.ProjectRequested) -> None:
        """Show what another view has of a project, or of one of its rows there."""
        view = await self._frame.load(message.name)
        view.show_project(message.project)
        self._show_view(view)
        self._focus.go_to(view.focus_target)
        if message.row is not None:
            view.open_row(message.row)

    def action_jump(self, direction: int) -> None:
        """Go to the turn that was read previously (-1) or next (1), in the view in which it was read."""
        frame, reader = self._frame, self._frame.reader
        entry = reader.reading.step_in_history(direction)
        if entry is None:
            self._screen.notify("There is no previous turn." if direction < 0 else "There is no next turn.")
            return
        view = frame.views[entry.view_name]
        shown = frame.text_view if view is frame.chosen_view else view
        if shown.SHARE is None:
            # It was read in a search there, which has ended; the view itself has no transcript.
            view = next(iter(frame.views.values()))
            entry.view_name = view.view_name
        if view is not frame.chosen_view:
            self._show_view(view)
        view.reset_detail()
        reader.reading.show_again(entry)
        self._focus.go_to(reader.transcript)

    @handles(View.TurnRequested)
    def open_turn(self, request: View.TurnRequested) -> None:
        """Show the turn that a view asks for, and go there if it is to be read."""
        frame = self._frame
        if request.view is not frame.text_view and not request.read:
            # Its rows were loaded after the user went to another view.
            if request.view is not frame.results:
                frame.reader.reading.open_later(request.view.view_name, request.target)
            return
        if request.read and self._start.chooses:
            self._start.choose(request.target)
            return
        if not request.read and self._start.keeps_turn:
            return
        frame.reader.reading.open(request.target, read=request.read, near=request.near)
        if request.read:
            self._first_steps.close()
            self._focus.go_to(frame.reader.transcript)

    @handles(TranscriptPane.NextHitRequested)
    def open_next_hit(self, message: TranscriptPane.NextHitRequested) -> None:
        """Open the next or the previous hit: the user went beyond the last or the first passage of a hit."""
        direction = message.direction
        if not self._frame.is_searching or not self._frame.results.step_to_hit(direction):
            self._screen.notify("This is the last passage." if direction > 0 else "This is the first passage.")

    def action_back(self) -> None:
        """Go one step back: close the card, else from a find, what `S` opened, the transcript, the search, the view."""
        frame, reader, focused = self._frame, self._frame.reader, self._screen.focused
        view = frame.list_pane
        if self._first_steps.close():
            return
        if frame.panes.is_full and not self._line.has_focus:
            frame.panes.zoom = "normal"
        elif reader.is_peeking:
            self._focus.go_to(reader.transcript)
        elif reader.transcript.has_focus and self._find.is_active:
            self._find.end()
        elif focused is not None and reader in focused.ancestors:
            if view.detail is not None or not reader.reading.return_to_caller():
                view.leave_reader()
        elif view is not frame.chosen_view:
            self._line.clear()
            self._focus.return_to_list()
        elif view.step_back() or self._line.clear_filter() or view.leave_project():
            pass
        elif self._start.chooses and view is next(iter(frame.views.values())):
            self._start.leave()
        else:
            self._open(next(iter(frame.views.values())))
            self._focus.go_to(frame.list_pane.focus_target)

    # -- the transcript beside the list ------------------------------------------------------------------------

    def action_turn(self, direction: int) -> None:
        """Go to the next turn (1) or the previous one (-1) in the transcript, if it is visible."""
        if self._frame.panes.shows_text:
            self._frame.reader.transcript.action_turn(direction)

    async def action_in_transcript(self, action: str) -> None:
        """Run an action of the transcript, if it is visible beside the list."""
        if self._frame.panes.shows_text:
            await self._screen.app.run_action(action, self._frame.reader.transcript)

    @handles(SearchBar.KeyPressed)
    async def press_key(self, message: SearchBar.KeyPressed) -> None:
        """Do what a key does outside of the search line, with the session of the hit under the cursor."""
        pressed = self._frame.reader.loader.when_shown(self._press, message.key)
        if isinstance(pressed, Awaitable):
            await pressed

    async def _press(self, key: str) -> None:
        """Do what a key does in the transcript if that is visible, or else on the screen, or in the list of hits."""
        frame, app = self._frame, self._screen.app
        is_visible = frame.panes.shows_text and frame.list_pane.detail is None
        # `pgdn` and `pgup` are never for the list: they would leave the hit that is being read.
        has_letter = frame.is_searching and len(key) == 1
        nodes = [frame.reader.transcript] * is_visible, [self._screen], [frame.results.hits] * has_letter
        for node in chain(*nodes):
            bindings = node._bindings.copy()
            bindings.apply_keymap(app._keymap)
            for binding in bindings.key_to_bindings.get(key, ()):
                if await app.run_action(binding.action, node):
                    return
