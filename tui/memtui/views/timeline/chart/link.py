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
    from memtui_core.index.observations import TimelineEvent, TimelinePage

_ROWS_BELOW: Final = 20
"""Rows that are listed below one to which the cursor goes from the chart."""
_FAR: Final = 400
"""Rows beyond the listed ones that are listed, too, if the cursor goes past them."""


def _last_work(event: TimelineEvent) -> float:
    """When there was work in the session of an event last, in seconds."""
    return (event.session.at or event.last).timestamp()


class ChartLink:
    """Passes pages and choices between the chart and the list of a view."""

    def __init__(self, view: TimelineView) -> None:
        self._view = view

    @property
    def _list(self) -> TimelineList:
        return self._view.query_one(TimelineList)

    def show_page(self, page: TimelinePage) -> None:
        """Show a page in both."""
        view, timeline, before = self._view, self._list, self._list.page
        had_chart = view.banner is not None
        timeline.show(page)
        view.chart.show(page)
        if before is None or (before.root, before.query.kind) != (page.root, page.query.kind):
            self.follow(timeline.entry)
        if had_chart != (view.banner is not None):
            view.post_message(view.DetailChanged())

    def follow(self, entry: TimelineEntry | None) -> None:
        """Move the cursor of the chart to an entry of the list."""
        if entry is not None:
            self._view.chart.follow(entry.session_id, entry.observation.id if entry.observation is not None else "")

    def show_event(self, event: TimelineEvent, *, read: bool) -> None:
        """Move the cursor of the list to an event of the chart, and show it; `read` to go there."""
        view, observation, session = self._view, event.observation, event.session
        key: TimelineKey = ("session", session.session_id)
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

    def go_to_day(self, day: date) -> None:
        """Move the cursor of the list to the newest session of a day, or of the last day before it, and go there."""
        timeline, events = self._list, self._view.chart.cursor.events
        if (key := timeline.first_of(day)) is not None:
            timeline.go_to(key)
        else:
            sessions = [event for event in events if event.kind == "session"]
            earlier = [event for event in sessions if event.session.day is not None and event.session.day <= day]
            event = max(earlier, key=_last_work, default=min(sessions, key=_last_work, default=None))
            if event is not None and timeline.go_to(("session", event.session.session_id)) is None:
                timeline.awaited = ("session", event.session.session_id)
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
