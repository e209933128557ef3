"""The controller that keeps the cursors of the chart and of the list on the same session or observation."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

from memtui.views.timeline.rows import TimelineEntry, TimelineKey
from memtui.views.timeline.timeline_list import TimelineList
from memtui.widgets.requests.target import Target
from memtui_core.index.observations import PAGE_SIZE

if TYPE_CHECKING:
    from memtui.views.timeline.view import TimelineView
    from memtui_core.index.observations import Observation, TimelineEvent, TimelinePage, TimelineSession

_ROWS_BELOW: Final = 20
"""Rows that are listed below one to which the cursor goes from the chart."""
_FAR: Final = 400
"""Rows beyond the listed ones that are listed, too, if the cursor goes past them."""


def _event_keys(entry: TimelineEntry) -> list[tuple[str, ...]]:
    """The keys of the events of an entry: of the observation, and of the session."""
    observation, row = entry.observation, entry.timeline_session
    keys: list[tuple[str, ...]] = [("observation", observation.id)] if observation is not None else []
    return [*keys, ("session", row.row_id if row is not None else entry.session_id, "", "")]


def _last_work(event: TimelineEvent) -> float:
    """When there was work in the session of an event last, in seconds."""
    return (event.session.at or event.last).timestamp()


class ChartLink:
    """Passes pages and choices between the chart and the list of a view."""

    def __init__(self, view: TimelineView) -> None:
        self._view = view
        self.awaited_day: date | None = None
        """The day to which the cursor goes as soon as sessions are listed."""

    @property
    def _list(self) -> TimelineList:
        return self._view.query_one(TimelineList)

    def show_page(self, page: TimelinePage) -> None:
        """Show a page in both."""
        view, timeline = self._view, self._list
        had_chart = view.banner is not None
        timeline.show(page)
        view.chart.show(page)
        if self.awaited_day is not None and not page.query.kind:
            day, self.awaited_day = self.awaited_day, None
            self.go_to_day(day)
        # Else the list goes to the event in the chart as soon as that is listed.
        if timeline.awaited is None and not self._is_followed(timeline.entry):
            self.follow(timeline.entry)
        if had_chart != (view.banner is not None):
            view.post_message(view.DetailChanged())

    def follow(self, entry: TimelineEntry | None) -> None:
        """Move the cursor of the chart to an entry of the list."""
        if entry is not None:
            self._view.chart.follow(*_event_keys(entry))

    def _is_followed(self, entry: TimelineEntry | None) -> bool:
        """Whether the cursor of the chart is on an event of an entry of the list."""
        event = self._view.chart.cursor.event
        if entry is None or event is None:
            return entry is None
        if entry.observation is not None or event.observation is not None:
            return event.key == _event_keys(entry)[0]
        rows = entry.similar.sessions if entry.similar is not None else (entry.timeline_session,)
        return any(row is not None and row.row_id == event.session.row_id for row in rows)

    def show_event(self, event: TimelineEvent, *, read: bool) -> None:
        """Move the cursor of the list to an event of the chart, and show it; `read` to go there."""
        view, session = self._view, event.session
        observation = event.observation or self._listed_observation(session)
        key: TimelineKey = ("session", session.row_id)
        if observation is not None:
            key = ("observation", observation.id)
        entry = self._list.go_to(key)
        if entry is None:
            self._list_up_to(event)
        if event.turn is not None and session.session is not None:
            view.shows_text = False
            view.request_turn(Target(session.session.key, event.turn), read=read)
        else:
            view.show_entry(entry or TimelineEntry(session, observation), read=read)

    def _listed_observation(self, session: TimelineSession) -> Observation | None:
        """The newest observation of a row, if the list has only those of a kind."""
        page = self._list.page
        if page is None or not page.query.kind:
            return None
        return next((one for one in page.observations if one.session_id == session.session_id), None)

    def go_to_day(self, day: date) -> None:
        """Move the cursor of the list to the newest session of a day, or of the last day before it, and go there."""
        timeline, events = self._list, self._view.chart.cursor.events
        if (key := timeline.first_of(day)) is not None:
            timeline.go_to(key)
        else:
            sessions = [event for event in events if event.kind == "session"]
            earlier = [event for event in sessions if event.session.day is not None and event.session.day <= day]
            event = max(earlier, key=_last_work, default=min(sessions, key=_last_work, default=None))
            if event is not None and timeline.go_to(("session", event.session.row_id)) is None:
                timeline.awaited = ("session", event.session.row_id)
                self._list_up_to(event)
        self._view.perform("list")

    def _list_up_to(self, event: TimelineEvent) -> None:
        """List so many sessions that the one of an event is among them; if it is far away, those around it."""
        query, end = self._view.timeline_query, event.session.at or event.last
        newer = sum(other.kind == "session" and other.last >= end for other in self._view.chart.cursor.events)
        if query.kind:
            return
        if newer - query.first - query.limit > _FAR or newer < query.first:
            self._view.list(replace(query, first=max(0, newer - _ROWS_BELOW), limit=PAGE_SIZE))
        elif newer >= query.first + query.limit:
            self._view.list(replace(query, limit=newer - query.first + _ROWS_BELOW))
