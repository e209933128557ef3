"""The timeline: earlier sessions with their summaries and observations."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from textual import events, on
from textual.app import ComposeResult
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Static

from memtui.pane_widths import Share
from memtui.services.app_services import AppServices
from memtui.services.index_poll import IDLE_POLL
from memtui.target import Target
from memtui.views.base import View
from memtui.views.timeline.editing import ObservationEditing
from memtui.views.timeline.observation_keys import ObservationRequested
from memtui.views.timeline.observation_pane import ObservationPane
from memtui.views.timeline.observation_rows import observation_rows, session_rows
from memtui.views.timeline.rows import TimelineEntry
from memtui.views.timeline.timeline_list import TimelineList
from memtui.widgets.row_list import RowList
from memtui_core.memory.timeline_model import Origin, TimelinePage, TimelineQuery

if TYPE_CHECKING:
    from memtui_core.memory.model import Observation

_MORE_ROWS: Final = 4
"""Factor by which the number of rows grows near the end of the list."""
_NO_TRANSCRIPT: Final = "There is no transcript of the session of this observation."
_NOTHING_SAVED: Final = (
    "No observation was saved yet.\n\nAgents save with the tool mem-save: memtui enable gives it to Claude Code,"
    " memtui mcp to others. a writes an observation by hand."
)


class TimelineView(View):
    """Lists sessions and observations; a detail pane shows observations, and sessions without a transcript."""

    NAME = "timeline"
    TITLE = "Timeline"
    KEY = "6"
    SHARE = Share(0.44)

    DEFAULT_CSS = """
    TimelineView {
        #unsaved { display: none; height: auto; border: round $panel; padding: 0 1; color: $text-muted; }
        &.-unsaved #unsaved { display: block; }
        &.-empty #unsaved { display: none; }
    }
    """

    shows_text = var(False, init=False)
    """Whether the detail pane replaces the transcript."""

    def __init__(self, services: AppServices) -> None:
        super().__init__(services)
        self.timeline_query = TimelineQuery()
        """The query of the list."""
        self._log_state: object = None
        self._origin: Origin | None = None
        """Origin of the observation that was shown last."""
        self._requested_origin = ""
        """Id of the observation to whose turn the user wants to go."""
        self._editing = ObservationEditing(self)
        self._pane = ObservationPane(self, id="note")

    def compose_view(self) -> ComposeResult:
        """The list, and above it a hint while nothing was saved."""
        yield Static(_NOTHING_SAVED, id="unsaved", markup=False)
        yield TimelineList(id="past")

    def compose_detail(self) -> ComposeResult:
        """The pane for an observation or a session."""
        yield self._pane

    def on_mount(self) -> None:
        """Check regularly for observations that agents save."""
        self.set_interval(IDLE_POLL, self._check_log)

    @property
    def focus_target(self) -> Widget:
        """The list."""
        return self.query_one(TimelineList)

    @property
    def detail(self) -> Widget | None:
        """The pane for an observation or a session without a transcript, if it is shown."""
        return self._pane if self.shows_text else None

    def reset_detail(self) -> None:
        """Show the transcript again."""
        self.shows_text = False

    def watch_shows_text(self) -> None:
        """Show the detail pane or the transcript."""
        self.post_message(self.DetailChanged(self))

    def step_back(self) -> bool:
        """Go from the observations of one kind to all sessions."""
        if not self.timeline_query.kind:
            return False
        self.list(replace(self.timeline_query, kind=""))
        return True

    # -- the list ----------------------------------------------------------------------------------------------

    def reload(self) -> None:
        """Run the query again."""
        self.list(self.timeline_query)

    def list(self, query: TimelineQuery) -> None:
        """List the result of a query."""
        self.timeline_query = query
        self.services.observations.list(query, self._show_page)

    def _check_log(self) -> None:
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
        index = kinds.index(query.kind) if query.kind in kinds else 0
        if len(kinds) == 1:
            self.notify("No observation was saved yet: a writes one.")
        self.list(TimelineQuery(query.root, kinds[(index + 1) % len(kinds)]))

    @on(TimelineList.ProjectRequested)
    def _change_project(self) -> None:
        timeline, kind = self.query_one(TimelineList), self.timeline_query.kind
        if timeline.page is not None and timeline.page.root is not None:
            self.list(TimelineQuery(None, kind))
        elif timeline.entry is not None and timeline.entry.root:
            self.list(TimelineQuery(timeline.entry.root, kind))
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

    # -- the chosen entry --------------------------------------------------------------------------------------

    @on(events.DescendantFocus, "#past")
    def _show_chosen(self) -> None:
        self.query_one(TimelineList).choose_again()

    @on(TimelineList.Chosen)
    def _row_chosen(self, message: TimelineList.Chosen) -> None:
        message.stop()
        entry = message.entry
        session = entry.timeline_session
        if entry.observation is not None:
            self.shows_text = True
            self._show_observation(entry, entry.observation)
            if message.read and self.screen.has_class("-narrow"):
                self.request_focus(self._pane)
            elif message.read:
                self._go_to_origin()
        elif session is not None and session.session is not None:
            self.shows_text = False
            self.request_turn(Target(session.session.key), read=message.read)
        elif session is not None:
            self.shows_text = True
            self._pane.show(session.session_id, session.name, partial(session_rows, session))
            if message.read:
                self.request_focus(self._pane)

    @on(TimelineList.TextRequested)
    def _to_text(self) -> None:
        self.request_focus(self._pane)

    def _show_observation(self, entry: TimelineEntry, observation: Observation) -> None:
        title = observation.content.type + (" · forgotten" if observation.forgotten_at is not None else "")
        self._pane.show(observation.id, title, partial(observation_rows, observation, self.origin_text(entry)))
        if self._origin is None or self._origin.observation.id != observation.id:
            self.services.observations.origin(observation, self._origin_loaded)

    def _refresh_text(self, observation_id: str) -> None:
        """Show the newest state of an observation, if it is the one in the detail pane."""
        entry = self.query_one(TimelineList).entry
        observation = entry.observation if entry is not None else None
        if self.shows_text and entry is not None and observation is not None and observation.id == observation_id:
            self._show_observation(entry, observation)

    def origin_text(self, entry: TimelineEntry) -> str:
        """The session and turn in which an observation was saved; only the session while the origin is not loaded."""
        observation, origin = entry.observation, self._origin
        if observation is None or origin is None or origin.observation.id != observation.id:
            return entry.timeline_session.name if entry.timeline_session is not None else ""
        if origin.session is None:
            return "a session without a transcript"
        return origin.session.title + (f" · turn {origin.turn}" if origin.turn is not None else "")

    def _origin_loaded(self, origin: Origin) -> None:
        self._origin, observation = origin, origin.observation
        self._refresh_text(observation.id)
        if self._requested_origin != observation.id:
            return
        self._requested_origin = ""
        if origin.session is None:
            self.notify(_NO_TRANSCRIPT)
            return
        # The title is in the tool call that saved the observation, unless it was changed later.
        by_call = observation.tool_name.endswith("mem-save") and observation.revision == 1 and origin.turn is not None
        words = (observation.content.title,) if by_call else ()
        self.shows_text = False
        self.request_turn(Target(origin.session.key, origin.turn, words), read=True)

    @on(ObservationPane.OriginRequested)
    def _go_to_origin(self) -> None:
        entry = self.query_one(TimelineList).entry
        if entry is not None and (observation := entry.observation) is not None:
            self._requested_origin = observation.id
            self.services.observations.origin(observation, self._origin_loaded)
        elif entry is not None:
            self.notify("There is no transcript of this session.")

    # -- writing -----------------------------------------------------------------------------------------------

    @on(ObservationRequested)
    def _edit(self, message: ObservationRequested) -> None:
        self._editing.do(message.action)

    def show_changed(self, observation: Observation) -> None:
        """Load the list again, with the cursor on an observation that was saved or restored."""
        timeline = self.query_one(TimelineList)
        timeline.awaited = ("observation", observation.id)
        if self.display and self._pane.key != observation.id:
            self.request_focus(timeline)
        kind = self.timeline_query.kind
        self.list(replace(self.timeline_query, kind=kind if kind in ("", observation.content.type) else ""))
