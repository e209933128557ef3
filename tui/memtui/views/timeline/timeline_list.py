"""Past sessions with what was written down in them; or observations of one kind alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from memtui import clock
from memtui.views.timeline.observation_keys import OBSERVATION_BINDINGS, Action, ObservationRequested
from memtui.views.timeline.rows import Entry, Key, entries, keys_of, observation_row, session_row, subtitle, title
from memtui.widgets.row_list import Row, RowList
from memtui_core.memory.timeline_model import TimelinePage, TimelineSession

_NEAR = 10
"""Rows from the end at which more are asked for."""


class TimelineList(RowList):
    """Three lines a session, and below it its observations; alone those have two lines each."""

    HELP: ClassVar[str] = """\
## Timeline

The last sessions of the project with what they were about, and below each what was written down in it. `f` goes through
the types of observations, and what was forgotten; `p` to all projects and to that of the chosen row. `enter` reads the
turn that a row comes from, `v` shows all of it, `←` and `→` fold and unfold. `a` writes an observation for the session,
`c` changes the chosen one, `x` forgets it, and `u` brings back what was forgotten.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "kind", "Filter", tooltip="Only one type of observations, or the forgotten", id="past.filter"),
        Binding("p", "project", "Project", tooltip="All projects, or that of the row", show=False, id="past.project"),
        Binding("l,right", "unfold", "Unfold", tooltip="Unfold, or go on to the text", show=False, id="past.unfold"),
        Binding("h,left", "fold", "Fold", tooltip="Fold, or back to the session", show=False, id="past.fold"),
        *OBSERVATION_BINDINGS,
    ]

    @dataclass
    class Chosen(Message):
        """A row is to be shown; `read` when the person wants to go where it comes from."""

        entry: Entry
        read: bool

    class TextRequested(Message):
        """The person wants to go to the text of the observation."""

    class KindRequested(Message):
        """The next kind of observations is to be listed."""

    class ProjectRequested(Message):
        """One project is to be listed instead of all, or all again."""

    @dataclass
    class MoreRequested(Message):
        """The cursor comes near the end, and there is more."""

        shown: int

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.page: TimelinePage | None = None
        self.awaited: Key | None = None
        """What the cursor is to go to when it comes."""
        self._entries: list[Entry] = []
        self._folded: set[str] = set()

    @property
    def entry(self) -> Entry | None:
        """What is chosen."""
        return self._entries[self.highlighted] if self.highlighted is not None else None

    def find(self, observation: str) -> Entry | None:
        """The row of an observation, folded or not."""
        found = entries(self.page, ()) if self.page is not None else ()
        return next((one for one in found if one.key == ("observation", observation)), None)

    def show(self, page: TimelinePage) -> None:
        """Take a page; the cursor stays on its row, or goes to the one that came in its place."""
        before, self.page = self.page, page
        self.border_title = Content(title(page))
        self.border_subtitle = subtitle(page)
        same = before is not None and (before.root, before.query.kind) == (page.root, page.query.kind)
        if same and before is not None and (before.sessions, before.observations) == (page.sessions, page.observations):
            return
        was, place = self.chosen, self.highlighted or 0
        chosen = was
        if self.awaited is not None and self.find(self.awaited[1]) is not None:
            chosen, self.awaited = self.awaited, None
            self._folded -= {one.session_id for one in page.sessions if chosen in keys_of(one)}
        keys = [one.key for one in entries(page, self._folded)]
        if chosen not in keys:
            chosen = keys[min(place, len(keys) - 1)] if same and keys else None
        self.fill(chosen)
        # A cursor that is put somewhere else is not told of; and what another pane shows is not to change by itself.
        if self.has_focus and chosen not in (None, was):
            self.choose_again()

    def rows(self, width: int) -> list[Row]:
        """All that is listed."""
        page, now = self.page, clock.now()
        self._entries = list(entries(page, self._folded)) if page is not None else []
        return [Row(one.key, self._drawn(one, width, now)) for one in self._entries]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the row, and ask for more near the end."""
        self.post_message(self.Chosen(self._entries[index], read))
        page = self.page
        if page is None or index < len(self._entries) - _NEAR:
            return
        shown = len(page.observations) if page.query.kind else len(page.sessions)
        if index and shown < page.total:
            self.post_message(self.MoreRequested(shown))

    def choose_again(self) -> None:
        """Show the row that is chosen."""
        if self.highlighted is not None:
            self.choose(self.highlighted, read=False)

    def action_note(self, action: Action) -> None:
        """Do something with the chosen observation."""
        self.post_message(ObservationRequested(action))

    def action_kind(self) -> None:
        """Ask for the next kind."""
        self.post_message(self.KindRequested())

    def action_project(self) -> None:
        """Ask for one project, or all."""
        self.post_message(self.ProjectRequested())

    def action_unfold(self) -> None:
        """Unfold the session; go on to its observations, or to what is read beside the list."""
        entry = self.entry
        if entry is None:
            return
        if entry.observation is not None:
            self.post_message(self.TextRequested())
        elif entry.past is not None and entry.past.session_id in self._folded:
            self._fold(entry.past)
        elif entry.past is not None and entry.past.observations:
            self.action_cursor_down()
        else:
            self.read()

    def action_fold(self) -> None:
        """From an observation to its session, which is folded then."""
        entry = self.entry
        if entry is None or entry.past is None or self.page is None or self.page.query.kind:
            return
        if entry.observation is not None:
            self.highlighted = next(place for place, one in enumerate(self._entries) if one == Entry(entry.past))
        elif entry.past.observations and entry.past.session_id not in self._folded:
            self._fold(entry.past)

    def _fold(self, past: TimelineSession) -> None:
        self._folded ^= {past.session_id}
        self.fill(self.chosen)

    def _drawn(self, one: Entry, width: int, now: datetime) -> Content:
        page = self.page
        if one.observation is not None:
            alone = page is not None and page.query.kind != ""
            return observation_row(one.observation, one.past, width, now, alone=alone)
        assert one.past is not None
        everywhere = page is not None and page.root is None
        return session_row(one.past, width, now, folded=one.past.session_id in self._folded, everywhere=everywhere)
