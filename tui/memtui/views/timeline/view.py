"""The timeline: earlier sessions by day, with what came out of them and their observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Final

from textual import events, on
from textual.app import ComposeResult
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Static

from memtui.services.app_services import AppServices
from memtui.services.index_poll import IDLE_POLL
from memtui.views.base import View
from memtui.views.timeline.chart.axis import Zoom
from memtui.views.timeline.chart.link import ChartLink
from memtui.views.timeline.chart.widget import TimelineChart
from memtui.views.timeline.keys import Action, Place, ShownAction
from memtui.views.timeline.observations.editing import ObservationEditing
from memtui.views.timeline.observations.origins import Origins
from memtui.views.timeline.observations.pane import ObservationPane
from memtui.views.timeline.observations.rows import observation_rows, session_rows
from memtui.views.timeline.rows import TimelineEntry
from memtui.views.timeline.timeline_list import TimelineList
from memtui.widgets.requests.pane_widths import Share
from memtui.widgets.requests.panes import LeftAtTop
from memtui.widgets.requests.target import Target
from memtui_core.index.observations import PAGE_SIZE, TimelinePage, TimelineQuery
from memtui_core.model import Project

if TYPE_CHECKING:
    from memtui_core.index.observations import Observation

_MORE_ROWS: Final = 4
"""Factor by which the number of rows grows near the end of the list."""
_NOTHING_SAVED: Final = "No observation yet: a writes one, agents: memtui enable"


class TimelineView(View):
    """Lists sessions and observations; a detail pane shows observations, and sessions without a transcript."""

    SHARE = Share(0.44)

    DEFAULT_CSS = """
    TimelineView {
        #unsaved {
            display: none; height: 1; padding: 0 2; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis;
        }
        &.-unsaved #unsaved { display: block; }
        &.-empty #unsaved { display: none; }
    }
    """

    shows_text = var(False, init=False)
    """Whether the detail pane replaces the transcript."""

    def __init__(self, services: AppServices, name: str) -> None:
        super().__init__(services, name)
        self.timeline_query = TimelineQuery()
        """The query of the list."""
        self._log_state: object = None
        self._was_hidden = False
        self.origins = Origins(self)
        self._editing = ObservationEditing(self)
        self._pane = ObservationPane(self)
        self.chart = TimelineChart(self, services.state.zoom)
        """The chart above all panes."""
        self.link = ChartLink(self)
        self._in_chart = False
        """Whether the chart had the focus later than the list."""

    def compose_view(self) -> ComposeResult:
        """The list, and above it a hint while nothing was saved."""
        yield Static(_NOTHING_SAVED, id="unsaved", markup=False)
        yield TimelineList(self)

    def compose_banner(self) -> ComposeResult:
        """The chart."""
        yield self.chart

    @property
    def banner(self) -> Widget | None:
        """The chart, if there is anything with a time."""
        return self.chart if self.chart.cursor.events else None

    @property
    def panes(self) -> Sequence[Widget]:
        """The chart and the list."""
        return tuple(filter(None, (self.banner, self.query_one(TimelineList))))

    def compose_detail(self) -> ComposeResult:
        """The pane for an observation or a session."""
        yield self._pane

    def on_mount(self) -> None:
        """Check regularly for observations that agents save."""
        self.set_interval(IDLE_POLL, self._check_log)
        self.watch(self.chart, "has_focus", self._chart_focused, init=False)
        self.watch(self.query_one(TimelineList), "has_focus", self._keys_changed, init=False)

    @property
    def focus_target(self) -> Widget:
        """The list, or the chart if that had the focus later."""
        banner = self.banner
        return banner if banner is not None and self._in_chart else self.query_one(TimelineList)

    @property
    def detail(self) -> Widget | None:
        """The pane for an observation or a session without a transcript, if it is shown."""
        return self._pane if self.shows_text else None

    def reset_detail(self) -> None:
        """Show the transcript again."""
        self.shows_text = False

    def watch_shows_text(self) -> None:
        """Show the detail pane or the transcript."""
        self.post_message(self.DetailChanged())

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

    def show_project(self, project: Project) -> None:
        """List the sessions of a project with their observations."""
        self.list(TimelineQuery(project.root))

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
        self.link.show_page(page)
        self.refresh_text(self._pane.key)

    def _next_kind(self) -> None:
        page, query = self.query_one(TimelineList).page, self.timeline_query
        kinds = ["", *(kind for kind, _ in page.kinds)] if page is not None else [""]
        index = kinds.index(query.kind) if query.kind in kinds else 0
        if len(kinds) == 1:
            self.notify("No observation was saved yet: a writes one.")
        self.list(TimelineQuery(query.root, kinds[(index + 1) % len(kinds)]))

    def _change_project(self) -> None:
        timeline, kind = self.query_one(TimelineList), self.timeline_query.kind
        if timeline.page is not None and timeline.page.root is not None:
            self.list(TimelineQuery(None, kind))
        elif timeline.entry is not None and timeline.entry.root:
            self.list(TimelineQuery(timeline.entry.root, kind))
        else:
            self.notify("This session belongs to no project.")

    def load_more(self, shown: int) -> None:
        """List more rows than are shown."""
        limit = shown * _MORE_ROWS
        if limit > self.timeline_query.limit:
            self.list(replace(self.timeline_query, limit=limit))

    def load_newer(self, first: int) -> None:
        """List sessions that are newer than the first one, whose index it is."""
        before = max(0, first - PAGE_SIZE)
        query = self.timeline_query
        if query.first >= first:
            self.list(replace(query, first=before, limit=query.limit + query.first - before))

    @on(LeftAtTop)
    def _to_chart(self, message: LeftAtTop) -> None:
        message.prevent_default().stop()
        if self.banner is not None:
            self.request_focus(self.banner)
        elif not message.by_letter:
            self.post_message(self.SearchRequested())

    # -- the chart ---------------------------------------------------------------------------------------------

    def _chart_focused(self, focused: bool) -> None:
        self._in_chart = self._in_chart or focused
        self._keys_changed()

    def _keys_changed(self) -> None:
        """Name the keys of the chart while they work."""
        self.chart.show_keys(shown=self.chart.has_focus or self.query_one(TimelineList).has_focus)

    def choose_zoom(self, zoom: Zoom) -> None:
        """Show a range of time in the chart, also in the next run."""
        self.chart.show_zoom(zoom)
        self.services.state.choose_zoom(zoom)

    def go_to_day(self, day: date) -> None:
        """Go to the sessions of a day in the list."""
        if self.timeline_query.kind:
            self.link.awaited_day = day
            self.list(replace(self.timeline_query, kind=""))
        else:
            self.link.go_to_day(day)

    def _go_to_last_day(self) -> None:
        timeline = self.query_one(TimelineList)
        if self.timeline_query.first:
            timeline.begin_again()
            self.list(TimelineQuery(self.timeline_query.root))
        else:
            timeline.action_first()
            self.link.follow(timeline.entry)

    # -- the chosen entry --------------------------------------------------------------------------------------

    def on_hide(self) -> None:
        """Note that the user comes back from another view next time."""
        self._was_hidden = True

    @on(events.DescendantFocus, "#past")
    def _show_chosen(self) -> None:
        """Show a preview again when the user comes back from the transcript; another view leaves it as it was."""
        self._in_chart = False
        if not self._was_hidden:
            self.query_one(TimelineList).choose_again()
        self._was_hidden = False

    def choose(self, entry: TimelineEntry, *, read: bool) -> None:
        """Show an entry that was chosen in the list, in the chart too."""
        self.link.follow(entry)
        self.show_entry(entry, read=read)

    def show_entry(self, entry: TimelineEntry, *, read: bool) -> None:
        """Show an entry; `read` to go to its session or turn, otherwise as a preview."""
        session = entry.timeline_session
        if entry.observation is not None:
            self.shows_text = True
            self._show_observation(entry, entry.observation)
            if read and self.screen.has_class("-narrow"):
                self.request_focus(self._pane)
            elif read:
                self.origins.go_to(entry)
        elif session is not None and session.session is not None:
            self.shows_text = False
            first = session.outcome.first_turn if session.since and session.outcome is not None else None
            self.request_turn(Target(session.session.key, first), read=read)
        elif session is not None:
            self.shows_text = True
            self._pane.show(session.session_id, session.name, partial(session_rows, session, None))
            if read:
                self.request_focus(self._pane)

    def _show_observation(self, entry: TimelineEntry, observation: Observation) -> None:
        title = observation.content.type + (" · forgotten" if observation.forgotten_at is not None else "")
        self._pane.show(observation.id, title, partial(observation_rows, observation, self.origins.text(entry)))
        self.origins.load(observation)

    def refresh_text(self, observation_id: str) -> None:
        """Show the newest state of an observation, if it is the one in the detail pane."""
        entry = self.query_one(TimelineList).entry
        observation = entry.observation if entry is not None else None
        if self.shows_text and entry is not None and observation is not None and observation.id == observation_id:
            self._show_observation(entry, observation)

    def _go_to_origin(self) -> None:
        if (entry := self.query_one(TimelineList).entry) is not None:
            self.origins.go_to(entry)

    # -- what the panes ask for --------------------------------------------------------------------------------

    def perform(self, action: Action | ShownAction | Place) -> None:
        """Do something with the chosen row or with what is shown, or go somewhere."""
        if action == "kind":
            self._next_kind()
        elif action == "project":
            self._change_project()
        elif action == "zoom":
            self.choose_zoom(self.chart.cursor.next_zoom)
        elif action == "last day":
            self._go_to_last_day()
        elif action == "origin":
            self._go_to_origin()
        elif action == "text":
            self.request_focus(self._pane)
        elif action == "list":
            self.request_focus(self.query_one(TimelineList))
        elif action == "search line":
            self.post_message(self.SearchRequested())
        else:
            self._editing.do(action)

    def show_changed(self, observation: Observation) -> None:
        """Load the list again, with the cursor on an observation that was saved or restored."""
        timeline = self.query_one(TimelineList)
        timeline.awaited = ("observation", observation.id)
        if self.display and self._pane.key != observation.id:
            self.request_focus(timeline)
        kind = self.timeline_query.kind
        self.list(replace(self.timeline_query, kind=kind if kind in ("", observation.content.type) else ""))
