"""The pane with the statistics: totals, cost, a calendar and bars, with a cursor that opens their turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events
from textual.content import Content
from textual.reactive import var

from memtui.keys.declarations import Key, keys
from memtui.render.rows import Row
from memtui.system import clock
from memtui.views.base import View
from memtui.views.stats.blocks import SearchLink, Spans, StatsBlock, marked, nearest
from memtui.views.stats.report import message_rows, report, rows_of
from memtui.widgets.lines.row_lines import RowLines
from memtui.widgets.lines.view import LineView

if TYPE_CHECKING:
    from memtui_core.index.statistics import Prices, Statistics

RANGES: Final[tuple[int | None, ...]] = (7, 30, 90, None)
"""The ranges that a key goes through, in days; None is all time."""
_NOT_YET: Final = "Counting …"
_NOTHING: Final = "There are no statistics yet.\n\nThey appear with the first session that is indexed."


class StatsPane(LineView):
    """Shows statistics, and requests those of another range or project, or the turns of a bar."""

    HELP: ClassVar[str] = """\
## Statistics

How much was done, by day, project, model, tool and file, and about what it cost. The arrows or `h` `j` `k` `l` go from
day to day and from bar to bar, `n` and `N` to the next and the previous day with turns; `enter`, or a click, searches
for the turns of it. `d` goes through the last 7, 30 and
90 days and all time; `p` limits the statistics to the project of the open session, or shows all projects again. Days
are those of your time zone; a turn counts for the day on which it started.

The cost is that of the tokens by the listed prices, whatever you pay; a file `prices.toml` in the folder of the
settings replaces them. It is said for how many of the turns the cost is known: not for those of a model without a
price, or whose tokens the agent did not write down. Tokens of the cache count at its own prices, written ones at that
for five minutes. Tokens of turns that several models answered count at the price of the cheapest.
"""
    BINDINGS = keys(
        "stats",
        Key("p", "project", "Project", "Show the project of the open session, or all", "stats.project",
            synonyms="scope all", show=True),
        Key("d", "range", "Days", "Show 7, 30 or 90 days, or all time", "stats.range",
            synonyms="days month week time period", show=True),
        Key("enter", "open", "Turns", "Search for the turns of the day or bar", "stats.open", show=True),
        Key("j,down", "move(1)", "Down", "Go to the day or bar below", "stats.down", moves=True),
        Key("k,up", "move(-1)", "Up", "Go to the day or bar above", "stats.up", moves=True),
        Key("l,right", "beside(1)", "Right", "Go to the next week or column", "stats.right"),
        Key("h,left", "beside(-1)", "Left", "Go to the week or column before", "stats.left"),
        Key("n", "active_day(1)", "Next day", "Go to the next day with turns", "stats.day-down"),
        Key("N", "active_day(-1)", "Previous day", "Go to the previous day with turns", "stats.day-up"),
    )  # fmt: skip
    DEFAULT_CSS = """
    StatsPane {
        & > .lines--heat { color: $text-success; }
        & > .lines--share { color: $text-secondary; }
        & > .lines--today { text-style: underline; }
    }
    """

    days: var[int | None] = var[int | None](30, init=False)
    """The range that is shown or was last requested, in days; None for all time."""

    def __init__(self, change_project: Callable[[], None]) -> None:
        """`change_project` requests the statistics of one project, or of all again."""
        super().__init__(RowLines(self.rows), id="stats")
        self._change_project = change_project
        self._is_range_chosen = False
        """Whether the range is not the default any more."""
        self._shown: tuple[Statistics, Prices, str, str] | None = None
        self._made_for: tuple[Statistics, Prices, str, date, int, str] | None = None
        self._block = StatsBlock()
        """The report, and what it was made for."""
        self._chosen: tuple[str, ...] | None = None
        """Key of the link with the cursor; None for the day of today."""

    def show(self, statistics: Statistics, prices: Prices, label: str, notes: str = "") -> None:
        """Show statistics; `label` names the project, `notes` is a line below the totals.

        The scroll position stays if range and project are the same.
        """
        before = self._shown
        if not (self._is_range_chosen or statistics.days is None or statistics.totals.turns):
            # There was no turn in the default range: show all time instead.
            self._is_range_chosen, self.days = True, None
            return
        if before is not None and (before[0].days, before[2]) != (statistics.days, label):
            self.scroll_to(y=0, animate=False)
        self._shown = statistics, prices, label, notes
        # What is shown need not be requested again.
        self.set_reactive(StatsPane.days, statistics.days)
        self.lay_out()

    def rows(self, width: int, height: int) -> list[Row]:
        """The report, or a text if there is none."""
        if self._shown is None:
            return message_rows(_NOT_YET)
        statistics, prices, label, notes = self._shown
        if statistics.days is None and not statistics.totals.turns:
            self._made_for, self._block = None, StatsBlock()
            return message_rows(_NOTHING)
        # A blank separates the numbers from the scroll bar.
        made_for = (statistics, prices, label, clock.now().astimezone().date(), width - 1, notes)
        if made_for != self._made_for:
            # The cursor moves through a report without making it again.
            self._made_for, self._block = made_for, report(*made_for)
        return rows_of(self._with_cursor())

    def _with_cursor(self) -> Sequence[Spans]:
        link = self.link
        self.border_subtitle = Content("" if link is None else f"{link.text} · enter" if link.search else link.text)
        return self._block.lines if link is None else marked(self._block.lines, link)

    @property
    def link(self) -> SearchLink | None:
        """The link with the cursor; at first the day of today. None if there are no links."""
        today = max(self._days, key=lambda link: link.key[1], default=None)
        return next((link for link in self._block.links if link.key == self._chosen), today)

    @property
    def _days(self) -> list[SearchLink]:
        return [link for link in self._block.links if link.is_day]

    def _choose(self, link: SearchLink) -> None:
        self._chosen = link.key
        self.lay_out()
        self.scroll_to_line(link.line)

    def action_move(self, direction: int) -> None:
        """Go to the link below (1) or above (-1); scroll where there is none."""
        self._step(direction, sideways=False)

    def action_beside(self, direction: int) -> None:
        """Go to the link at the right (1) or at the left (-1)."""
        self._step(direction, sideways=True)

    def action_active_day(self, direction: int) -> None:
        """Go to the next day with turns (1) or the previous one (-1); from a bar, the previous one is the last day."""
        link = self.link
        at = link.key[1] if link is not None and link.is_day else date.max.isoformat()
        days = sorted((day for day in self._days if day.search is not None), key=lambda day: day.key)
        ahead = [day for day in days if (day.key[1] > at if direction > 0 else day.key[1] < at)]
        if ahead:
            self._choose(ahead[0 if direction > 0 else -1])
        else:
            self.notify("There is no later day with turns." if direction > 0 else "There is no earlier day with turns.")

    def _step(self, direction: int, *, sideways: bool) -> None:
        link = self.link
        if link is None:
            return
        following = nearest(self._block.links, link, direction, sideways=sideways)
        if following != link:
            self._choose(following)
        elif not sideways:
            super().action_end(int(direction > 0))

    def action_end(self, last: int) -> None:
        """Go to the day of today at the top, or to the last link at the end."""
        self._chosen = self._block.links[-1].key if last and self._block.links else None
        self.lay_out()
        super().action_end(last)

    def action_open(self) -> None:
        """Request the turns of the link with the cursor."""
        link = self.link
        if link is not None and link.search is not None:
            self.post_message(View.SearchRequested(link.search))
        elif link is not None:
            self.notify("There are no turns on this day.")

    def on_click(self, event: events.Click) -> None:
        """Request the turns of the clicked link."""
        offset = event.get_content_offset(self)
        if offset is None or self.text_selection is not None:
            return
        line = round(self.scroll_y) + offset.y
        for link in self._block.links:
            if link.line == line and link.column <= offset.x < link.column + link.width:
                self._choose(link)
                self.action_open()

    def text_select_all(self) -> None:
        """Do nothing: a double click opens a bar."""

    def action_project(self) -> None:
        """Request one project, or all again."""
        self._change_project()

    def action_range(self) -> None:
        """Request the next range."""
        self._is_range_chosen = True
        index = RANGES.index(self.days) + 1 if self.days in RANGES else 0
        self.days = RANGES[index % len(RANGES)]
