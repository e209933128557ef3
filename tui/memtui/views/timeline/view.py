"""Past sessions with what they were about, and the observations that were written down in them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from textual import events, on
from textual.app import ComposeResult
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Static

from memtui.services.index_poll import IDLE_POLL
from memtui.target import Target
from memtui.views.base import View
from memtui.views.timeline.editing import ObservationEditing
from memtui.views.timeline.observation_keys import ObservationRequested
from memtui.views.timeline.observation_pane import ObservationPane
from memtui.views.timeline.observation_rows import observation_rows, session_rows
from memtui.views.timeline.rows import Entry
from memtui.views.timeline.timeline_list import TimelineList
from memtui.widgets.row_list import RowList
from memtui_core.memory.timeline_model import Origin, TimelinePage, TimelineQuery

if TYPE_CHECKING:
    from memtui_core.memory.model import Observation

_MORE_ROWS: Final = 4
"""How many times as many rows are loaded near the end of the list."""
_NO_TRANSCRIPT: Final = "No transcript tells of the session of this observation."
_NOTHING_SAVED: Final = (
    "Nothing was saved yet.\n\nAgents save with the tool mem-save: memtui enable gives it to Claude Code,"
    " memtui mcp to others. a writes an observation by hand."
)


class TimelineView(View):
    """Lists sessions and observations; one without a turn of its own stands in the place of the transcript."""

    NAME = "timeline"
    TITLE = "Timeline"
    KEY = "6"
    LAYOUT = "broad"

    DEFAULT_CSS = """
    TimelineView {
        #unsaved { display: none; height: auto; border: round $panel; padding: 0 1; color: $text-muted; }
        &.-unsaved #unsaved { display: block; }
        &.-empty #unsaved { display: none; }
    }
    """

    shows_text = var(False, init=False)
    """The text of what is chosen stands in the place of the transcript."""

    def compose_view(self) -> ComposeResult:
        """The list, and above it what to do while nothing was saved."""
        self.timeline_query = TimelineQuery()
        """What is listed."""
        self._log_state: object = None
        self._origin: Origin | None = None
        """Where the observation comes from that was shown last."""
        self._going_to = ""
        """Id of the observation to whose turn the user wants to go."""
        self._editing = ObservationEditing(self)
        yield Static(_NOTHING_SAVED, id="unsaved", markup=False)
        yield TimelineList(id="past")

    def compose_detail(self) -> ComposeResult:
        """The text of what is chosen."""
        self._pane = ObservationPane(self, id="note")
        yield self._pane

    def on_mount(self) -> None:
        """Agents write too."""
        self.set_interval(IDLE_POLL, self._look_at_log)

    @property
    def focus_target(self) -> Widget:
        """The list."""
        return self.query_one(TimelineList)

    @property
    def detail(self) -> Widget | None:
        """The text of an observation, or of a session without a transcript."""
        return self._pane if self.shows_text else None

    def reset_detail(self) -> None:
        """Let the transcript be shown again."""
        self.shows_text = False

    def watch_shows_text(self) -> None:
        """Show the text or the transcript."""
        self.post_message(self.DetailChanged(self))

    def step_back(self) -> bool:
        """From the observations of one kind to all sessions."""
        if not self.timeline_query.kind:
            return False
        self.list(replace(self.timeline_query, kind=""))
        return True

    # -- the list ----------------------------------------------------------------------------------------------

    def reload(self) -> None:
        """List the same anew."""
        self.list(self.timeline_query)

    def list(self, query: TimelineQuery) -> None:
        """List what a query asks for."""
        self.timeline_query = query
        self.services.observations.list(query, self._show_page)

    def _look_at_log(self) -> None:
        if not self.display:
            return
        if (state := self.services.observations.changed_state(self._log_state)) is not None:
            self._log_state = state
            self.reload()

    def _show_page(self, page: TimelinePage) -> None:
        if page.query != self.timeline_query:
            return
        if page.query.kind and not page.total:
            self.list(replace(self.timeline_query, kind=""))
            return
        self.set_class(not page.saved and not page.kinds, "-unsaved")
        self.query_one(TimelineList).show(page)
        self._refresh_text(self._pane.key)

    @on(TimelineList.KindRequested)
    def _next_kind(self) -> None:
        page, query = self.query_one(TimelineList).page, self.timeline_query
        kinds = ["", *(kind for kind, _ in page.kinds)] if page is not None else [""]
        place = kinds.index(query.kind) if query.kind in kinds else 0
        if len(kinds) == 1:
            self.notify("Nothing was saved yet: a writes an observation.")
        self.list(TimelineQuery(query.root, kinds[(place + 1) % len(kinds)]))

    @on(TimelineList.ProjectRequested)
    def _change_project(self) -> None:
        listed, kind = self.query_one(TimelineList), self.timeline_query.kind
        if listed.page is not None and listed.page.root is not None:
            self.list(TimelineQuery(None, kind))
        elif listed.entry is not None and listed.entry.root:
            self.list(TimelineQuery(listed.entry.root, kind))
        else:
            self.notify("This session belongs to no project.")

    @on(TimelineList.MoreRequested)
    def _load_more(self, message: TimelineList.MoreRequested) -> None:
        limit = message.shown * _MORE_ROWS
        if limit > self.timeline_query.limit:
            self.list(replace(self.timeline_query, limit=limit))

    @on(RowList.LeftAtTop)
    def _to_search(self) -> None:
        self.post_message(self.SearchRequested())

    # -- what is chosen ----------------------------------------------------------------------------------------

    @on(events.DescendantFocus, "#past")
    def _show_chosen(self) -> None:
        self.query_one(TimelineList).choose_again()

    @on(TimelineList.Chosen)
    def _row_chosen(self, message: TimelineList.Chosen) -> None:
        entry = message.entry
        past = entry.past
        if entry.observation is not None:
            self.shows_text = True
            self._show_observation(entry, entry.observation)
            if message.read and self.screen.has_class("-narrow"):
                self.request_focus(self._pane)
            elif message.read:
                self._go_to_origin()
        elif past is not None and past.session is not None:
            self.shows_text = False
            self.request_turn(Target(past.session.key), read=message.read)
        elif past is not None:
            self.shows_text = True
            self._pane.show(past.session_id, past.name, partial(session_rows, past))
            if message.read:
                self.request_focus(self._pane)

    @on(TimelineList.TextRequested)
    def _to_text(self) -> None:
        self.request_focus(self._pane)

    def _show_observation(self, entry: Entry, one: Observation) -> None:
        title = one.content.type + (" · forgotten" if one.forgotten_at is not None else "")
        self._pane.show(one.id, title, partial(observation_rows, one, self.origin_text(entry)))
        if self._origin is None or self._origin.observation.id != one.id:
            self.services.observations.origin(one, self._origin_found)

    def _refresh_text(self, observation: str) -> None:
        """Show an observation as it is now, if it is the one that is shown."""
        entry = self.query_one(TimelineList).entry
        one = entry.observation if entry is not None else None
        if self.shows_text and entry is not None and one is not None and one.id == observation:
            self._show_observation(entry, one)

    def origin_text(self, entry: Entry) -> str:
        """Where the observation of a row comes from, as far as it is known by now."""
        one, origin = entry.observation, self._origin
        if one is None or origin is None or origin.observation.id != one.id:
            return entry.past.name if entry.past is not None else ""
        if origin.session is None:
            return "a session without a transcript"
        return origin.session.title + (f" · turn {origin.turn}" if origin.turn is not None else "")

    def _origin_found(self, origin: Origin) -> None:
        self._origin, one = origin, origin.observation
        self._refresh_text(one.id)
        if self._going_to != one.id:
            return
        self._going_to = ""
        if origin.session is None:
            self.notify(_NO_TRANSCRIPT)
            return
        # The call that saved it has the title as it was then.
        called = one.tool_name.endswith("mem-save") and one.revision == 1 and origin.turn is not None
        words = (one.content.title,) if called else ()
        self.shows_text = False
        self.request_turn(Target(origin.session.key, origin.turn, words), read=True)

    @on(ObservationPane.OriginRequested)
    def _go_to_origin(self) -> None:
        entry = self.query_one(TimelineList).entry
        if entry is not None and (one := entry.observation) is not None:
            self._going_to = one.id
            self.services.observations.origin(one, self._origin_found)
        elif entry is not None:
            self.notify("No transcript tells of this session.")

    # -- writing -----------------------------------------------------------------------------------------------

    @on(ObservationRequested)
    def _edit(self, message: ObservationRequested) -> None:
        self._editing.do(message.action)

    def show_changed(self, one: Observation) -> None:
        """List anew, with the cursor on an observation that was written or restored."""
        listed = self.query_one(TimelineList)
        listed.awaited = ("observation", one.id)
        if self.display and self._pane.key != one.id:
            self.request_focus(listed)
        kind = self.timeline_query.kind
        self.list(replace(self.timeline_query, kind=kind if kind in ("", one.content.type) else ""))
