"""The view of the timeline: past sessions, and what was written down in them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from textual import events, on
from textual.reactive import var
from textual.widget import Widget

from memtui import messages
from memtui.screens.index_screen import IDLE_POLL
from memtui.screens.pane_visibility import set_pane_class
from memtui.screens.searching import SearchingScreen
from memtui.services.observation_service import ObservationService
from memtui.services.preload import IndexPreload
from memtui.target import Target
from memtui.views.timeline.model import TimelineQuery, TimelineSession
from memtui.views.timeline.observation_pane import ObservationPane
from memtui.views.timeline.observation_rows import observation_rows, session_rows
from memtui.views.timeline.rows import Entry
from memtui.views.timeline.timeline_list import TimelineList, TimelinePane
from memtui.widgets.row_list import RowList
from memtui.widgets.search_bar import SearchBar
from memtui.widgets.transcript import Transcript
from memtui_core.model import Session

_OF_A_TURN: Final = frozenset({"inspector", "copy_id", "export", "export_turn", "handoff", "resume"})
"""Actions on what is read: there is nothing for them while an observation stands in its place."""
_MORE: Final = 4
"""How many times as many rows are asked for near the end of the list."""
_NO_TURN: Final = "No transcript tells of the session of this observation."


class TimelineScreen(SearchingScreen):
    """Owns what the timeline lists, and what is shown of it."""

    noting = var(False, init=False)
    """What is chosen in the timeline has no turn of its own: its text stands in the place of the transcript."""

    def __init__(self, data_dir: Path, opening: IndexPreload | None = None) -> None:
        super().__init__(data_dir, opening)
        self.notebook = ObservationService(data_dir, self.post_message, lambda: self.library.snapshot)
        self.wish = TimelineQuery()
        """What is listed."""
        self._log: object = None
        """State of the log when it was read."""
        self._origin: tuple[str, Session | None, int | None] | None = None
        """Id of an observation, and where it comes from."""
        self._going = ""
        """The observation to whose turn the person wants to go."""

    def on_mount(self) -> None:
        """Agents write too."""
        self.set_interval(IDLE_POLL, self._look_at_log)

    # -- which pane --------------------------------------------------------------------------------------------

    @property
    def text_pane(self) -> Widget:
        """What is read: the transcript, or what stands in its place."""
        return self.query_one(ObservationPane if self._is_noting else Transcript)

    @property
    def view_list(self) -> Widget:
        """The list of the view that is shown."""
        return self.query_one(TimelineList) if self.view == "timeline" else super().view_list

    @property
    def _is_noting(self) -> bool:
        return self.noting and self.view == "timeline" and not self.searching

    def watch_noting(self) -> None:
        """Show the text or the transcript."""
        panes = self.query_one("#panes")
        if panes.has_class("-noting") != self._is_noting:
            set_pane_class(panes, self._is_noting, "-noting")
            self.refresh_bindings()

    def watch_view(self, before: str, after: str) -> None:
        """Show another list."""
        super().watch_view(before, after)
        self.watch_noting()

    def watch_searching(self) -> None:
        """A search shows turns."""
        super().watch_searching()
        self.watch_noting()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What acts on a turn needs one."""
        return False if self._is_noting and action in _OF_A_TURN else super().check_action(action, parameters)

    def action_jump(self, direction: int) -> None:
        """To what was read before, or after that."""
        self.noting = False
        super().action_jump(direction)

    def back_in_view(self) -> bool:
        """One step back inside the view, or to the sessions; False when those are shown."""
        if self.view == "timeline" and self.wish.kind:
            self.ask(replace(self.wish, kind=""))
            return True
        return super().back_in_view()

    @on(RowList.LeftAtTop, "#past")
    def _to_bar(self) -> None:
        self.go_to(self.query_one(SearchBar))

    # -- what is listed ----------------------------------------------------------------------------------------

    def fill_view(self) -> None:
        """Ask for what the view lists."""
        if self.view == "timeline":
            self.ask(self.wish)
        else:
            super().fill_view()

    @on(messages.IndexChanged)
    def _sessions_changed(self) -> None:
        if self.view == "timeline":
            self.fill_view()

    def _look_at_log(self) -> None:
        if self.view == "timeline" and (state := self.notebook.changed(self._log)) is not None:
            self._log = state
            self.fill_view()

    def ask(self, wish: TimelineQuery) -> None:
        """List something else, or the same anew."""
        self.wish = self.notebook.wanted = wish
        self.run_newest("timeline of sessions", lambda: self.notebook.page(wish))

    @on(messages.TimelineRead)
    def _timeline_read(self, message: messages.TimelineRead) -> None:
        page = message.page
        if page.wish != self.wish:
            return
        if page.wish.kind and not page.total:
            self.ask(replace(self.wish, kind=""))
            return
        self.query_one(TimelinePane).show(page)
        self._renew_note(self.query_one(ObservationPane).key)

    @on(TimelineList.KindRequested)
    def _kind_wanted(self) -> None:
        page = self.query_one(TimelineList).page
        kinds = ["", *(kind for kind, _ in page.kinds)] if page is not None else [""]
        here = kinds.index(self.wish.kind) if self.wish.kind in kinds else 0
        if len(kinds) == 1:
            self.notify("Nothing was saved yet: a writes an observation.")
        self.ask(TimelineQuery(self.wish.root, kinds[(here + 1) % len(kinds)]))

    @on(TimelineList.ProjectRequested)
    def _project_wanted(self) -> None:
        listed = self.query_one(TimelineList)
        if listed.page is not None and listed.page.root is not None:
            self.ask(TimelineQuery(None, self.wish.kind))
        elif (root := self.place_of(listed.entry)[1]) != "":
            self.ask(TimelineQuery(root, self.wish.kind))
        else:
            self.notify("This session belongs to no project.")

    def place_of(self, entry: Entry | None) -> tuple[str, str, str]:
        """Id, root and name of the session of a row."""
        past: TimelineSession | None = entry.past if entry is not None else None
        if past is not None:
            return past.session_id, past.root, past.name
        one = entry.observation if entry is not None else None
        return (one.session_id, one.root, f"session {one.session_id[:8]}") if one is not None else ("", "", "")

    @on(TimelineList.MoreRequested)
    def _rows_wanted(self, message: TimelineList.MoreRequested) -> None:
        limit = message.shown * _MORE
        if limit > self.wish.limit:
            self.ask(replace(self.wish, limit=limit))

    # -- what is shown -----------------------------------------------------------------------------------------

    @on(events.DescendantFocus, "#past")
    def _back_in_list(self) -> None:
        self.query_one(TimelineList).choose_again()

    @on(TimelineList.Chosen)
    def _row_chosen(self, message: TimelineList.Chosen) -> None:
        entry = message.entry
        past = entry.past
        if entry.observation is not None:
            self.noting = True
            self._show_note(entry)
            if message.read and self.has_class("-narrow"):
                self.go_to(self.query_one(ObservationPane))
            elif message.read:
                self._go_to_origin()
        elif past is not None and past.session is not None:
            self.noting = False
            self.show_turn(Target(past.session.key), read=message.read)
        elif past is not None:
            self.noting = True
            self.query_one(ObservationPane).show(past.session_id, past.name, partial(session_rows, past))
            if message.read:
                self.go_to(self.query_one(ObservationPane))

    @on(TimelineList.TextRequested)
    def _text_wanted(self) -> None:
        self.go_to(self.query_one(ObservationPane))

    def _show_note(self, entry: Entry) -> None:
        one = entry.observation
        assert one is not None
        known = self._origin is not None and self._origin[0] == one.id
        title = one.content.type + (" · forgotten" if one.forgotten_at is not None else "")
        self.query_one(ObservationPane).show(one.id, title, partial(observation_rows, one, self.said_origin(entry)))
        if not known:
            self.run_newest("origin", lambda: self.notebook.origin(one))

    def _renew_note(self, observation: str) -> None:
        """Show what became of an observation, if it is the one that is shown."""
        entry = self.query_one(TimelineList).entry
        if self.noting and entry is not None and entry.key == ("observation", observation):
            self._show_note(entry)

    def said_origin(self, entry: Entry) -> str:
        """Where an observation comes from, as far as it is known by now."""
        one, past = entry.observation, entry.past
        if one is None or self._origin is None or self._origin[0] != one.id:
            return past.name if past is not None else ""
        _, session, turn = self._origin
        if session is None:
            return "a session of which no transcript tells"
        return session.title + (f" · turn {turn}" if turn is not None else "")

    @on(messages.OriginFound)
    def _origin_found(self, message: messages.OriginFound) -> None:
        one = message.observation
        self._origin = one.id, message.session, message.turn
        self._renew_note(one.id)
        if self._going == one.id:
            self._going = ""
            if message.session is None:
                self.notify(_NO_TURN)
                return
            # The call that saved it has the title as it was then.
            called = one.tool_name.endswith("mem-save") and one.revision == 1 and message.turn is not None
            words = (one.content.title,) if called else ()
            self.noting = False
            self.show_turn(Target(message.session.key, message.turn, words), read=True)

    @on(ObservationPane.OriginRequested)
    def _go_to_origin(self) -> None:
        entry = self.query_one(TimelineList).entry
        if entry is not None and (one := entry.observation) is not None:
            self._going = one.id
            self.run_newest("origin", lambda: self.notebook.origin(one))
        elif entry is not None:
            self.notify("No transcript tells of this session.")
