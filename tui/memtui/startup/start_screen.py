"""What is on the terminal before the main screen is imported: the list that was kept of the last time.

It saves 200 ms of the processor until the first rows are shown, of 413: the main screen is imported after them.
"""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from memtui.settings.app_state import AppState
from memtui.startup.kept_list import KeptList
from memtui.system import clock
from memtui.views import registry
from memtui.views.sessions.items import can_expand, fold_titles, item_key
from memtui.views.sessions.labels import RowLabels
from memtui.views.sessions.rows import SHARE, arrow, row_text
from memtui.widgets.requests.pane_widths import PaneSizes, arrange, sizes_key
from memtui.widgets.search.words import ALL_PROJECTS, PLACEHOLDER
from memtui.widgets.view_tabs import ViewTabs

_Row = tuple[str, str, str]
"""The lines before a row, its left part and its columns."""
_ABOVE, _BELOW = 2, 2
"""Lines above and below the rows: the search line and a border, a border and the status line."""


class StartScreen(Screen[None]):
    """The tabs, the search line and the list, as the main screen draws them at first: importing that takes longer.

    Nothing here answers to a key; the app passes the keys on to the main screen.
    """

    DEFAULT_CSS = """
    StartScreen #header { height: 1; padding: 0 1; color: $text-muted; link-style: none; link-color: $text-muted; }
    """

    def __init__(self, kept: KeptList, state: AppState) -> None:
        super().__init__(id="_default")
        self._list = StartList(kept, state)

    def compose(self) -> ComposeResult:
        """The tabs, and all that is below them."""
        tabs = ViewTabs(registry.VIEWS)
        tabs.view = registry.VIEWS[0].name
        yield tabs
        yield self._list


class StartList(Widget):
    """The lines below the tabs: all drawn by one widget, because each one takes its time."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *("start--muted", "start--placeholder", "start--focus", "start--frame", "start--guide"),
    }
    DEFAULT_CSS = """
    StartList {
        height: 1fr;
        & > .start--muted { color: $text-muted; }
        & > .start--placeholder { color: $text-disabled; }
        & > .start--focus { color: $accent; }
        & > .start--frame { color: $panel; }
        & > .start--guide { color: $surface-lighten-3; }
        &:light > .start--guide { color: $surface-darken-1; }
        &:ansi > .start--guide { color: $ansi-background; }
        &:ansi > .start--placeholder { text-style: dim; }
    }
    """

    def __init__(self, kept: KeptList, state: AppState) -> None:
        super().__init__()
        self._kept = kept
        self._state = state
        self._rows: list[_Row] = []
        self._rows_for = 0, 0
        """The width and the height for which `_rows` were made."""

    def render_line(self, y: int) -> Strip:
        """The search line, a row of the list or its border; nothing in the status line."""
        width, height = self.size
        left = self._left
        last = height - _BELOW
        if y == 0:
            segments = self._search_line(width)
        elif y in (1, last):
            segments = self._border(width, left, is_top=y == 1)
        elif y < last:
            segments = self._row(y - _ABOVE, left)
        else:
            segments = []
        return Strip(segments).crop_extend(0, width, self.rich_style)

    @property
    def _left(self) -> int:
        """Cells of the list."""
        width = self.size.width
        sizes = PaneSizes.read(self._state.pane_sizes(sizes_key(registry.VIEWS[0].name, width)))
        return arrange(width, SHARE, sizes, "left", "normal").left

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"start--{name}")

    def _search_line(self, width: int) -> list[Segment]:
        muted = self._style("muted")
        # The bar and the facts share what the sign and the margins leave; the facts have 44 cells at most.
        bar = max((width - 5) // 2, width - 49)
        # The bar wraps its words.
        words = PLACEHOLDER if len(PLACEHOLDER) <= bar else PLACEHOLDER[: bar + 1].rpartition(" ")[0]
        return [
            Segment(" / ", muted),
            Segment(words.ljust(width - 4 - len(ALL_PROJECTS)), self._style("placeholder")),
            Segment(ALL_PROJECTS, muted),
        ]

    def _border(self, width: int, left: int, *, is_top: bool) -> list[Segment]:
        title = "━projects" if is_top else ""
        segments = [Segment(title.ljust(left, "━"), self._style("focus"))]
        if left < width:
            segments.append(Segment("┱" if is_top else "┹", self._style("focus")))
            segments.append(Segment("─" * (width - left - 1), self._style("frame")))
        return segments

    def _row(self, number: int, left: int) -> list[Segment]:
        rows, base = self._all_rows(left), self.rich_style
        guide, text, right = rows[number] if number < len(rows) else ("", "", "")
        segments = [
            Segment(guide, self._style("guide")),
            Segment(text, base),
            Segment(right, base + Style(dim=True)),
        ]
        used = sum(segment.cell_length for segment in segments)
        line = [Segment("┃", self._style("focus"))] if left < self.size.width else []
        return [*segments, Segment(" " * (left - used), base), *line]

    def _all_rows(self, left: int) -> list[_Row]:
        """The rows of the list in `left` cells, the first project unfolded."""
        height = self.size.height - _ABOVE - _BELOW
        if self._rows_for != (left, height):
            self._rows_for = left, height
            self._rows = self._made_rows(left, height)
        return self._rows

    def _made_rows(self, left: int, height: int) -> list[_Row]:
        (newest, *others), sessions = self._kept.projects, fold_titles(self._kept.sessions)
        now, labels, parent = clock.now(), RowLabels(), item_key(newest)
        labels.show(parent, sessions)
        rows = []
        for number, item in enumerate((newest, *sessions, *others)):
            is_session = 0 < number <= len(sessions)
            guide = ("└ " if number == len(sessions) else "├ ") if is_session else ""
            sign = arrow(can_expand=can_expand(item), is_expanded=number == 0)
            text, right = row_text(
                item,
                newest if is_session else None,
                sign,
                int(is_session),
                left,
                now,
                shows_agent=self._kept.shows_agents,
                shorten=labels.shortening(parent, item, left),
            )
            rows.append((guide, text, right))
        return rows[:height]
