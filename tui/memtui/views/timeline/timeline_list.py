"""The list of the timeline: sessions with their observations, or only observations of one kind."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.content import Content

from memtui.keys.declarations import Key, keys
from memtui.system import clock
from memtui.views.timeline.keys import OBSERVATION_KEYS, TIMELINE_KEYS, Action, ShownAction
from memtui.views.timeline.rows import (
    TimelineEntry,
    TimelineKey,
    entries,
    keys_of,
    observation_row,
    session_row,
    subtitle,
    title,
)
from memtui.widgets.row_list import ListRow, RowList
from memtui_core.index.observations import TimelinePage, TimelineSession

if TYPE_CHECKING:
    from memtui.views.timeline.view import TimelineView

_LOAD_MARGIN = 10
"""More rows are requested when the cursor is so close to the end."""


class TimelineList(RowList):
    """Three lines for each session and one for each of its observations; two lines for observations of one kind."""

    HELP: ClassVar[str] = """\
## Timeline

The recent sessions of the project with their summaries, and below each its observations. The chart above shows them on
an axis of time: `d` shows a day, a week, a month or all time. `F` goes through the types of observations and the
forgotten ones; `p` shows all projects, or only that of the chosen row. `enter` reads the session, or the turn in which
the observation was saved; `v` shows the whole text, `←` and `→` fold and unfold. `a` writes an
observation for the session, `c` changes the chosen one, `x` forgets it, and `u` restores a forgotten one.
"""
    BINDINGS = keys(
        "timeline",
        *TIMELINE_KEYS,
        Key("l,right", "unfold", "Unfold", "Unfold, or go to the text", "past.unfold"),
        Key("h,left", "fold", "Fold", "Fold, or go to the session", "past.fold"),
        *OBSERVATION_KEYS,
    )

    def __init__(self, view: TimelineView) -> None:
        super().__init__(id="past")
        self._view = view
        self.page: TimelinePage | None = None
        self.awaited: TimelineKey | None = None
        """Key of the entry to which the cursor goes as soon as it is listed."""
        self._entries: list[TimelineEntry] = []
        self._folded: set[str] = set()

    @property
    def entry(self) -> TimelineEntry | None:
        """The entry under the cursor."""
        return self._entries[self.highlighted] if self.highlighted is not None else None

    def find(self, key: TimelineKey) -> TimelineEntry | None:
        """The entry with a key, also if its session is folded; None if it is not listed."""
        all_entries = entries(self.page, ()) if self.page is not None else ()
        return next((entry for entry in all_entries if entry.key == key), None)

    def go_to(self, key: TimelineKey) -> TimelineEntry | None:
        """Move the cursor to an entry and return it, without a preview; if it is not listed yet, as soon as it is."""
        entry, page = self.find(key), self.page
        self.awaited = key if entry is None and page is not None and not page.query.kind else None
        if entry is not None and page is not None and key != self.chosen:
            self._unfold(page, key)
            self.fill(key)
            self.scroll_to_highlight()
        return entry

    @on(RowList.OptionHighlighted)
    def _moved(self) -> None:
        """Leave the cursor where the user moved it."""
        self.awaited = None

    def _unfold(self, page: TimelinePage, key: TimelineKey) -> None:
        self._folded -= {session.session_id for session in page.sessions if key in keys_of(session)}

    def show(self, page: TimelinePage) -> None:
        """Show a page; the cursor stays on its entry, or if that is gone, at its position."""
        before, self.page = self.page, page
        self.border_title = Content(title(page))
        self.border_subtitle = subtitle(page)
        same = before is not None and (before.root, before.query.kind) == (page.root, page.query.kind)
        if same and before is not None and (before.sessions, before.observations) == (page.sessions, page.observations):
            return
        chosen_before, index = self.chosen, self.highlighted or 0
        chosen = chosen_before
        if self.awaited is not None and self.find(self.awaited) is not None:
            chosen, self.awaited = self.awaited, None
            self._unfold(page, chosen)
        keys = [entry.key for entry in entries(page, self._folded)]
        if chosen not in keys:
            chosen = keys[min(index, len(keys) - 1)] if same and keys else None
        self.fill(chosen)
        if not same or chosen != chosen_before:
            self.scroll_to_highlight()
        # `fill` posts no message. Without the focus, what another pane shows must not change.
        if self.has_focus and chosen not in (None, chosen_before):
            self.choose_again()

    def rows(self, width: int) -> list[ListRow]:
        """The rows of all entries that are not folded."""
        page, now = self.page, clock.now()
        self._entries = list(entries(page, self._folded)) if page is not None else []
        return [ListRow(entry.key, self._content(entry, width, now)) for entry in self._entries]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the entry, and load more rows near the end."""
        self._view.choose(self._entries[index], read=read)
        page = self.page
        if page is None or index < len(self._entries) - _LOAD_MARGIN:
            return
        shown = len(page.observations) if page.query.kind else len(page.sessions)
        if index and shown < page.total:
            self._view.load_more(shown)

    def choose_again(self) -> None:
        """Show a preview of the chosen entry again."""
        if self.highlighted is not None:
            self.choose(self.highlighted, read=False)

    def action_request(self, action: Action | ShownAction) -> None:
        """Do what a key does."""
        self._view.perform(action)

    def action_unfold(self) -> None:
        """Unfold the session; go from an unfolded session to its observations, from an observation to its text."""
        entry = self.entry
        if entry is None:
            return
        session = entry.timeline_session
        if entry.observation is not None:
            self._view.perform("text")
        elif session is not None and session.session_id in self._folded:
            self._toggle_fold(session)
        elif session is not None and session.observations:
            self.action_cursor_down()
        else:
            self.read()

    def action_fold(self) -> None:
        """Fold the session; go from an observation to its session."""
        entry = self.entry
        if entry is None or entry.timeline_session is None or self.page is None or self.page.query.kind:
            return
        session = entry.timeline_session
        if entry.observation is not None:
            self.highlighted = self._entries.index(TimelineEntry(session))
        elif session.observations and session.session_id not in self._folded:
            self._toggle_fold(session)

    def _toggle_fold(self, session: TimelineSession) -> None:
        self._folded ^= {session.session_id}
        self.fill(self.chosen)

    def _content(self, entry: TimelineEntry, width: int, now: datetime) -> Content:
        page, session = self.page, entry.timeline_session
        if entry.observation is not None:
            alone = page is not None and page.query.kind != ""
            return observation_row(entry.observation, session, width, now, alone=alone)
        assert session is not None
        everywhere = page is not None and page.root is None
        return session_row(session, width, now, folded=session.session_id in self._folded, everywhere=everywhere)
