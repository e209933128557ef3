"""The list of the timeline: a diary of sessions with their observations, or only observations of one kind."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import date, datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.content import Content
from textual.geometry import Region

from memtui.keys.declarations import Key, keys
from memtui.system import clock
from memtui.views.timeline.keys import OBSERVATION_KEYS, TIMELINE_KEYS, Action, ShownAction
from memtui.views.timeline.rows import (
    Folds,
    TimelineEntry,
    TimelineKey,
    day_row,
    entries,
    group_entry,
    observation_row,
    session_row,
    similar_titles,
    subtitle,
    title,
)
from memtui.widgets.row_list import ListRow, RowList
from memtui.wording.formatting import cut
from memtui_core.index.observations import DiaryDay, SimilarSessions, TimelinePage

if TYPE_CHECKING:
    from memtui.views.timeline.view import TimelineView
    from memtui.wording.sibling_titles import SiblingTitles

_LOAD_MARGIN = 10
"""More rows are requested when the cursor is so close to the end, or to the first one if there are newer ones."""


class TimelineList(RowList):
    """Days, their sessions with what came out of them, and a line for each observation; or observations of one kind."""

    HELP: ClassVar[str] = """\
## Timeline

The sessions of the project by day, the newest first: below the title what came out of each on that day (files, commits,
how it ended), and what was asked first. A session that worked on several days stands on each of them, with its share.
`↑` are pull requests, `✎` files, `⧉` compactions, and `◆` observations, which are listed below their session. Similar
sessions of a day are one row, which `space` unfolds. `t` goes to the last day. The chart above shows them on an axis of
time and goes with the list: `d` shows a day, a week, a month, a year or all time. `F` goes through the types of
observations and the forgotten ones; `p` shows all projects, or only that of the chosen row. `enter` reads the session
from that day on, or the turn in which the observation was saved; `v` shows the whole text, `←` and `→` fold and unfold.
`a` writes an observation for the session, `c` changes the chosen one, `x` forgets it, and `u` restores a forgotten one.
"""
    BINDINGS = keys(
        "timeline",
        *TIMELINE_KEYS,
        Key("l,right", "unfold", "Unfold", "Unfold, or go to the text", "past.unfold"),
        Key("h,left", "fold", "Fold", "Fold, or go to the session", "past.fold"),
        Key("space", "toggle_fold", "More", "Unfold or fold similar sessions, or observations", "past.toggle"),
        *OBSERVATION_KEYS,
    )
    DEFAULT_CSS = """
    TimelineList > .option-list--option-disabled { color: $foreground; }
    """

    def __init__(self, view: TimelineView) -> None:
        super().__init__(id="past")
        self._view = view
        self.page: TimelinePage | None = None
        self.awaited: TimelineKey | None = None
        """Key of the entry to which the cursor goes as soon as it is listed."""
        self._entries: list[DiaryDay | TimelineEntry] = []
        self._folds = Folds()
        self._titles: tuple[SimilarSessions, SiblingTitles] | None = None
        """The titles of the similar sessions whose rows are being made."""

    @property
    def entry(self) -> TimelineEntry | None:
        """The entry under the cursor."""
        entry = self._entries[self.highlighted] if self.highlighted is not None else None
        return entry if isinstance(entry, TimelineEntry) else None

    def find(self, key: Hashable) -> TimelineEntry | None:
        """The entry with a key, also if it is folded; None if it is not listed."""
        all_entries = entries(self.page, Folds(all_open=True)) if self.page is not None else ()
        return next((entry for entry in all_entries if isinstance(entry, TimelineEntry) and entry.key == key), None)

    def go_to(self, key: TimelineKey) -> TimelineEntry | None:
        """Move the cursor to an entry and return it, without a preview; if it is not listed yet, as soon as it is.

        To a session among similar ones that are folded, it moves to the row of these.
        """
        entry, page = self.find(key), self.page
        self.awaited = key if entry is None and page is not None and not page.query.kind else None
        if entry is None:
            return None
        group = group_entry(entry.group) if entry.group is not None and entry.observation is None else None
        if group is not None and not self._folds.shows(group):
            key = group.key
        if key != self.chosen:
            if group is None:
                self._unfold(entry)
            self.fill(key)
            self._reveal()
        return entry

    def first_of(self, day: date) -> TimelineKey | None:
        """The key of the newest entry of a day, or of the last day before it; None if none is listed."""
        page, found = self.page, False
        if page is None or (page.first and page.days and (page.days[0].on or day) < day):
            # Its sessions are newer than the listed ones.
            return None
        for entry in entries(page, self._folds):
            if isinstance(entry, DiaryDay):
                found = entry.on is not None and entry.on <= day
            elif found:
                return entry.key
        return None

    @on(RowList.OptionHighlighted)
    def _moved(self) -> None:
        """Leave the cursor where the user moved it."""
        self.awaited = None

    def _unfold(self, entry: TimelineEntry) -> None:
        """Unfold what an entry stands below."""
        for outer in entry.outer:
            if not self._folds.shows(outer):
                self._folds.toggle(outer)

    def show(self, page: TimelinePage) -> None:
        """Show a page; the cursor stays on its entry, or if that is gone, at its position."""
        before, self.page = self.page, page
        self.border_title = Content(title(page))
        self.border_subtitle = subtitle(page)
        same = before is not None and (before.root, before.query.kind) == (page.root, page.query.kind)
        listed = (before.sessions, before.observations) if before is not None and same else None
        if listed == (page.sessions, page.observations) and self.awaited is None:
            return
        chosen_before, index = self.chosen, self.highlighted or 0
        chosen = chosen_before
        if self.awaited is not None and (awaited := self.find(self.awaited)) is not None:
            chosen, self.awaited = self.awaited, None
            self._unfold(awaited)
        held = self._line_of_cursor() - self.scroll_offset.y
        keys = [entry.key if isinstance(entry, TimelineEntry) else None for entry in entries(page, self._folds)]
        if chosen not in keys:
            # It stands below another one now; else where the row was stands the next one, or the one before it.
            entry = self.find(chosen)
            outer = [one.key for one in entry.outer if one.key in keys] if entry is not None else []
            near = [key for key in (*outer, *keys[index:], *reversed(keys[:index])) if key is not None]
            chosen = near[0] if same and near else None
        self.fill(chosen)
        if not same or chosen != chosen_before:
            self._reveal()
        else:
            # Rows may have come above it, and it may have more lines.
            self.scroll_to(y=self._line_of_cursor() - held, animate=False, force=True, immediate=True)
            if 0 <= held < self.scrollable_content_region.height:
                self.scroll_to_highlight()
        # `fill` posts no message. Without the focus, what another pane shows must not change.
        if self.has_focus and chosen not in (None, chosen_before):
            self.choose_again()

    def _line_of_cursor(self) -> int:
        """The line of the row with the cursor, among all lines of the list."""
        self._update_lines()
        return self._index_to_line.get(self.highlighted or 0, 0)

    def rows(self, width: int) -> list[ListRow]:
        """The rows of all days and of all entries that are not folded."""
        page, now = self.page, clock.now()
        self._entries = list(entries(page, self._folds)) if page is not None else []
        return [
            ListRow(("day", str(entry.on)), day_row(entry, width, now), is_heading=True)
            if isinstance(entry, DiaryDay)
            else ListRow(entry.key, self._content(entry, width, now))
            for entry in self._entries
        ]

    def scroll_to_highlight(self, top: bool = False) -> None:
        """Scroll to the row, and to the heading above it."""
        above = (self.highlighted or 0) - 1
        if above >= 0 and self.options[above].disabled and (y := self._index_to_line.get(above)) is not None:
            region = Region(0, y, self.scrollable_content_region.width, 1)
            self.scroll_to_region(region, force=True, animate=False, immediate=True)
        super().scroll_to_highlight(top)

    def _reveal(self) -> None:
        """Scroll to the row with the cursor; from far away so that its day begins at the top."""
        line = self._line_of_cursor()
        if not 0 <= line - self.scroll_offset.y < self.scrollable_content_region.height:
            above = (self.highlighted or 0) - 1
            has_heading = above >= 0 and self.options[above].disabled
            self.scroll_to(y=line - has_heading, animate=False, force=True, immediate=True)
        self.scroll_to_highlight()

    def choose(self, index: int, *, read: bool) -> None:
        """Show the entry, and load more rows near the end."""
        entry, page = self._entries[index], self.page
        if isinstance(entry, TimelineEntry):
            self._view.choose(entry, read=read)
        if page is None:
            return
        shown = len(page.observations) if page.query.kind else len(page.sessions)
        if index <= _LOAD_MARGIN and page.first:
            self._view.load_newer(page.first)
        elif index and index >= len(self._entries) - _LOAD_MARGIN and page.first + shown < page.total:
            self._view.load_more(shown)

    def begin_again(self) -> None:
        """Show the next page from its first row on."""
        self.page = None

    def choose_again(self) -> None:
        """Show a preview of the chosen entry again."""
        if self.highlighted is not None:
            self.choose(self.highlighted, read=False)

    def action_request(self, action: Action | ShownAction) -> None:
        """Do what a key does."""
        self._view.perform(action)

    def action_unfold(self) -> None:
        """Unfold the row; go from an unfolded one to the first row below it, from an observation to its text."""
        entry = self.entry
        if entry is None:
            return
        if entry.observation is not None:
            self._view.perform("text")
        elif not self._folds.can_fold(entry):
            self.read()
        elif self._folds.shows(entry):
            self.action_cursor_down()
        else:
            self.action_toggle_fold()

    def action_fold(self) -> None:
        """Fold the row; go from an observation to its session, from a similar session to the row of all."""
        entry = self.entry
        if entry is None or self.page is None or self.page.query.kind:
            return
        if self._folds.shows(entry):
            self.action_toggle_fold()
        elif entry.outer:
            keys = [other.key if isinstance(other, TimelineEntry) else None for other in self._entries]
            self.highlighted = keys.index(entry.outer[0].key)

    def action_toggle_fold(self) -> None:
        """Unfold the row, or fold it."""
        if (entry := self.entry) is not None and self._folds.can_fold(entry):
            self._folds.toggle(entry)
            self.fill(self.chosen)

    def _content(self, entry: TimelineEntry, width: int, now: datetime) -> Content:
        page = self.page
        if entry.observation is not None:
            alone = page is not None and page.query.kind != ""
            return observation_row(entry.observation, entry.timeline_session, width, now, alone=alone)
        everywhere = page is not None and page.root is None
        shorten = self._shortening(entry, entry.group) if entry.group is not None else cut
        return session_row(entry, width, now, self._folds, everywhere=everywhere, shorten=shorten)

    def _shortening(self, entry: TimelineEntry, group: SimilarSessions) -> Callable[[str, int], str]:
        """What makes the title of one of similar sessions fit: it shows what the others do not say."""
        if self._titles is None or self._titles[0] is not group:
            self._titles = group, similar_titles(group)
        _, titles = self._titles
        place = next(place for place, one in enumerate(group.sessions) if one is entry.timeline_session)
        return lambda _, width: titles.label(place, width)
