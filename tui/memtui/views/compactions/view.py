"""The compactions of all sessions, and the review of one of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult
from textual.content import Content
from textual.reactive import reactive, var
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from memtui.views.base import View
from memtui.views.compactions.compaction_list import CompactionList
from memtui.views.compactions.kinds import missing_facts
from memtui.views.compactions.review_head import boundary_facts
from memtui.views.compactions.review_list import ReviewList, RowAct
from memtui.views.compactions.review_pane import ReviewPane
from memtui.views.compactions.review_rows import lost_rows
from memtui.widgets.requests.pane_widths import Share
from memtui.widgets.requests.panes import CopyRequested
from memtui.widgets.requests.target import Target
from memtui.widgets.stack import Stack
from memtui.wording.formatting import number
from memtui_core.index.compactions import CompactionRow
from memtui_core.model import Project, Turn

if TYPE_CHECKING:
    from memtui_core.index.compactions import Review, ReviewItem
    from memtui_core.index.files import FileRow
    from memtui_core.index.index import Index

Loaded = tuple["Review", list[Turn], "Mapping[ReviewItem, bool]"]
"""A review, the turns of its session, and what of it was sent to the agent."""
_EMPTY = "No session was compacted yet.\n\n1 goes back to the sessions."
_REVIEWING: Final = "Reviewing the summary …"
_SHOWN_EVERY: Final = 0.3
"""Seconds between two times at which the list shows what was reviewed."""
_LEAST_WIDTH: Final = 20


class MissingFacts(Widget):
    """The facts that the summary of a review lacks, wrapped at the width of the pane; or a text in their place."""

    DEFAULT_CSS = """
    MissingFacts { height: 1fr; min-height: 2; padding: 0 1; }
    """

    shown: reactive[Review | str] = reactive["Review | str"]("")

    def render(self) -> Content:
        """A head in words, and the facts below it."""
        if isinstance(self.shown, str):
            return Content(self.shown)
        if not self.shown.summary:
            return Content("\n").join(map(Content, boundary_facts(self.shown)))
        head = Content.styled(missing_facts(self.shown), "$text-muted")
        rows = lost_rows(self.shown, max(_LEAST_WIDTH, self.content_size.width), ())
        return Content("\n").join([head, *(row.row.content for row in rows)])


class CompactionsView(View):
    """The list of compactions, or the review of one compaction in its place."""

    SHARE = Share(0.42)
    ITEMS = "compactions"

    DEFAULT_CSS = """
    CompactionsView {
        ContentSwitcher { height: 1fr; }
        #compactions { height: auto; max-height: 66%; }
    }
    """

    reviewing = var(False, init=False)
    """Whether a review is shown in the place of the list."""

    def compose_view(self) -> ComposeResult:
        """The list and the review."""
        with ContentSwitcher(initial="compactions-pane"):
            with Stack(id="compactions-pane"):
                yield CompactionList(self._show_compaction, self._set_title)
                yield MissingFacts(id="missing")
            yield ReviewPane(self._act)

    def on_mount(self) -> None:
        """Show the order in the border."""
        self._left = Event()
        self._set_title()

    def on_hide(self) -> None:
        """Review nothing more for the list when another view is shown."""
        self._left.set()

    @property
    def focus_target(self) -> Widget:
        """The review, or the list."""
        return self.query_one(ReviewList) if self.reviewing else self.query_one(CompactionList)

    @property
    def filters_first(self) -> bool:
        """Yes, unless a review is shown."""
        return not self.reviewing

    def watch_reviewing(self) -> None:
        """Show the review in the place of the list, or the list again."""
        self.query_one(ContentSwitcher).current = "review-pane" if self.reviewing else "compactions-pane"

    def watch_filter_text(self) -> None:
        """List what matches, in the place of a review."""
        self.reviewing = False
        self.reload()

    def reload(self) -> None:
        """Load the compactions that match the filter."""
        pattern, project = self.filter_text, self.project
        self.services.index.query(
            "compactions",
            lambda index: index.compactions.all(pattern, project),
            partial(self._show, pattern, project),
        )

    def show_project(self, project: Project) -> None:
        """List the compactions of a project, in the place of a review."""
        self.reviewing = False
        super().show_project(project)

    def open_row(self, row: FileRow | CompactionRow) -> None:
        """Open the review of a compaction."""
        if isinstance(row, CompactionRow):
            self.query_one(CompactionList).go_to(row)
            self._show_compaction(row, True)

    def _show(self, pattern: str, project: Project | None, rows: list[CompactionRow]) -> None:
        if (pattern, project) == (self.filter_text, self.project):
            compactions = self.query_one(CompactionList)
            compactions.show(rows)
            compactions.border_subtitle = number(len(rows))
            self.empty_text = "" if rows else self.no_match_text if pattern else _EMPTY
            self._set_title()
            self._review_rest()

    def _review_rest(self) -> None:
        """Review what is listed and was not reviewed yet, in a thread, until the view is left or shows other rows."""
        self._left.set()
        compactions = self.query_one(CompactionList)
        if self.display and (rows := compactions.unreviewed):
            self._left = Event()
            self.services.index.query_stream("reviews", partial(_in_groups, rows, self._left), compactions.fill_in)

    def _set_title(self) -> None:
        compactions = self.query_one(CompactionList)
        compactions.border_title = self.titled("compactions", compactions.order)

    def _show_compaction(self, row: CompactionRow, read: bool) -> None:
        session, turn, has_review = row.session, row.place, row.turn is not None
        self.request_turn(Target(session, turn), read=read and not has_review)
        if not row.is_reviewed:
            self.query_one(MissingFacts).shown = _REVIEWING if has_review else ""
        if turn is None:
            return
        if read and has_review:
            self.services.index.query(
                "review",
                partial(_loaded, session, turn),
                lambda loaded: self._show_review(*loaded),
            )
        else:
            self.services.index.query(
                "missing", lambda index: index.compactions.review(session, turn), partial(self._show_missing, row)
            )

    def _show_missing(self, chosen: CompactionRow, review: Review) -> None:
        """Show below the list what the summary lacks, if the cursor is still on its compaction."""
        row = self.query_one(CompactionList).compaction
        if row is not None and (row.source, row.line) == (chosen.source, chosen.line):
            self.query_one(MissingFacts).shown = review

    def _show_review(self, review: Review, turns: list[Turn], sent: Mapping[ReviewItem, bool]) -> None:
        self.query_one(ReviewPane).show(review, turns, sent)
        self.reviewing = True
        self.request_focus(self.query_one(ReviewList))

    def _act(self, act: RowAct, review: Review, items: Sequence[ReviewItem]) -> None:
        # None of these jobs may be replaced by the next one, so they are in no queue.
        if act == "undo":
            if review.known:
                self._change(review, partial(_set_known, review.known[-1:], known=False), "Listed again.")
            else:
                self.notify("No row of this review is marked as known.")
        elif act == "know":
            said = "Never listed again: u takes that back."
            self._change(review, partial(_set_known, items, known=True), said)
        elif act == "send":
            what = "it" if len(items) == 1 else f"{number(len(items))} rows"
            said = f"The agent gets {what} with its next hook call, and in a hand-off."
            self._change(review, lambda index: index.compactions.send(review, items), said)
        else:
            what = "The row" if len(items) == 1 else f"{number(len(items))} rows"
            self.services.index.query(
                "",
                lambda index: index.compactions.prompt_of(items),
                # Among its own messages: what is posted among those of the screen does not reach the app.
                lambda prompt: self.call_later(self._copy, prompt, what),
            )

    def _copy(self, prompt: str, what: str) -> None:
        self.post_message(CopyRequested(prompt, what))

    def _change(self, review: Review, change: Callable[[Index], object], said: str) -> None:
        """Change what is noted of rows, say it, and show the review as it is then."""
        session, turn = review.session, review.turn or 0

        def changed(index: Index) -> Loaded:
            change(index)
            return _loaded(session, turn, index)

        def show(loaded: Loaded) -> None:
            self._show_review(*loaded)
            self.notify(said)
            self.reload()

        self.services.index.query("", changed, show)

    def step_back(self) -> bool:
        """Go from the review to the list."""
        if not self.reviewing:
            return False
        self.reviewing = False
        self.request_focus(self.query_one(CompactionList))
        return True


def _loaded(session: int, turn: int, index: Index) -> Loaded:
    review = index.compactions.review(session, turn)
    return review, index.sessions.turns(session), index.compactions.sent(review)


def _set_known(items: Sequence[ReviewItem], index: Index, *, known: bool) -> None:
    for item in items:
        index.compactions.set_known(item, known=known)


def _in_groups(rows: Sequence[CompactionRow], left: Event, index: Index) -> Iterator[list[CompactionRow]]:
    """Rows that are reviewed now: the first one, then those of each `_SHOWN_EVERY` seconds; until `left` is set."""
    group: list[CompactionRow] = []
    shown = float("-inf")
    for row in index.compactions.reviewed(rows):
        group.append(row)
        if left.is_set():
            return
        if (now := time.monotonic()) - shown >= _SHOWN_EVERY:
            yield group
            group, shown = [], now
    if group:
        yield group
