"""The pane of a review: the compaction in words, the session as a band, the tabs, and the list of the chosen tab."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive, var
from textual.widget import Widget
from textual.widgets import Static

from memtui.render.clean import clean
from memtui.views.compactions.review_head import band, headline
from memtui.views.compactions.review_list import TABS, Act, ReviewList, ReviewTab
from memtui.wording.formatting import number
from memtui_core.model import Turn

if TYPE_CHECKING:
    from memtui_core.index.compactions import Review, ReviewItem

_TITLES: dict[ReviewTab, tuple[str, str]] = {
    "lost": ("Not in the summary", "Missing"),
    "kept": ("Kept", "Kept"),
    "afterwards": ("Afterwards", "After"),
    "summary": ("Summary", "Summary"),
    "turns": ("Turns", "Turns"),
}


class SessionBand(Widget):
    """The session on one line, with the part that the summary replaced."""

    shown: reactive[tuple[Review, Sequence[Turn]] | None] = reactive["tuple[Review, Sequence[Turn]] | None"](None)

    def render(self) -> Content:
        """The band, as wide as the pane."""
        return band(*self.shown, self.content_size.width) if self.shown is not None else Content("")


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab with its titles; the short one is for narrow lines."""

    name: str
    title: str
    short_title: str


class TabLine(Widget):
    """The tabs on one line, the chosen one marked; `choose` is called with the name of one that is clicked."""

    DEFAULT_CSS = """
    TabLine { height: 1; color: $text-muted; }
    """

    tab: reactive[str] = reactive("")
    """Name of the chosen tab."""
    tabs: reactive[Sequence[Tab]] = reactive[Sequence[Tab]](())

    def __init__(self, choose: Callable[[str], None]) -> None:
        super().__init__()
        self._choose = choose

    def render(self) -> Content:
        """All tabs, with short titles where the long ones do not fit."""
        line = self._line(short=False)
        return line if line.cell_length <= self.content_size.width else self._line(short=True)

    def _line(self, *, short: bool) -> Content:
        parts = []
        for tab in self.tabs:
            text = Content(tab.short_title if short else tab.title)
            parts.append(
                text.stylize("bold underline $text" if tab.name == self.tab else f"@click=choose('{tab.name}')")
            )
        return Content("  ").join(parts)

    def action_choose(self, name: str) -> None:
        """Choose a tab."""
        self._choose(name)


class ReviewPane(Vertical):
    """A review with its head and its tabs in one frame."""

    DEFAULT_CSS = """
    ReviewPane {
        #review-head { height: auto; max-height: 4; }
        SessionBand { height: 1; }
        TabLine { margin-top: 1; }
    }
    """

    tab: var[ReviewTab] = var[ReviewTab]("lost")

    def __init__(self, act: Act) -> None:
        super().__init__(id="review-pane")
        self._act = act

    def compose(self) -> ComposeResult:
        """The head, the band, the tabs and the list."""
        yield Static(id="review-head", markup=False)
        yield SessionBand()
        yield TabLine(self._choose_tab).data_bind(ReviewPane.tab)
        yield ReviewList(self._act, self._tell_turn, self._choose_tab).data_bind(ReviewPane.tab)

    def show(self, review: Review, turns: Sequence[Turn], sent: Mapping[ReviewItem, bool]) -> None:
        """Show a review; `turns` are all turns of its session, without blocks; `sent` as `RowSigns.sent`."""
        rows = self.query_one(ReviewList)
        if not rows.is_of(review):
            # Without the review before, the change of the tab shows none of its turns.
            rows.review = None
            self.tab = "lost"
        self.border_title = Content(f"⧉ {clean(review.title)}")
        self.query_one("#review-head", Static).update(headline(review))
        self.query_one(SessionBand).shown = (review, turns)
        counts = {
            "lost": len(review.main),
            "kept": len(review.kept),
            "afterwards": len(review.recurrences) + len(review.changed_after),
        }
        self.query_one(TabLine).tabs = [
            Tab(tab, *(f"{title} {number(counts[tab])}" if tab in counts else title for title in _TITLES[tab]))
            for tab in TABS
        ]
        rows.show(review, turns, sent)

    def _choose_tab(self, name: str) -> None:
        self.tab = next(tab for tab in TABS if tab == name)

    def _tell_turn(self, step: int, turns: Sequence[int]) -> None:
        several = f" · {step + 1} of {len(turns)}: n next" if len(turns) > 1 else ""
        self.border_subtitle = f"turn {turns[step]}{several}" if turns else ""
