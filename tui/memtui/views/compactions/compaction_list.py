"""The list of compactions, with what each summary replaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from memtui import clock
from memtui.formatting import age, cut, duration, number, plural, tokens
from memtui.widgets.row_list import Row, RowList, headed
from memtui_core.queries.compactions import CompactionRow

SORTS: Final[dict[str, Callable[[CompactionRow], Any]]] = {
    "last": lambda row: -(row.at.timestamp() if row.at else 0.0),
    "tokens": lambda row: -(row.tokens_before or 0),
    "turns": lambda row: -row.turns_before,
    "time": lambda row: -(row.seconds or 0.0),
    "length": lambda row: -row.summary_length,
    "project": attrgetter("project"),
}
"""Orders of the compactions, by the name that the border shows; `kept` comes besides, the least kept first."""
_KEPT = "kept"


class CompactionList(RowList):
    """Three lines each; the share that a summary kept is counted while the list is looked at."""

    HELP: ClassVar[str] = """\
## Compactions

Where a summary took the place of what was said before: the session, its project, the turns and the time of what was
replaced, its tokens, the length of the summary, and the share of it that the summary kept, by the rules of the review.
`/` filters by words of the title, the project and the summary; `s` sorts by the next column; `enter` opens the review:
what the summary lost and kept of what it replaced.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "sort", "Sort", tooltip="Sort by the next column", id="compactions.sort"),
    ]

    @dataclass
    class Chosen(Message):
        """A compaction is to be shown; `read` when the person wants to go there."""

        session: int
        turn: int | None
        read: bool

    @dataclass
    class ShareRequested(Message):
        """The share that a summary kept is to be counted."""

        row: CompactionRow

    class Sorted(Message):
        """The compactions stand in another order."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.sort = "last"
        self._items: Sequence[CompactionRow] = ()
        self._listed: list[CompactionRow] = []
        self._shares: dict[CompactionRow, float | None] = {}

    def show(self, items: Sequence[CompactionRow]) -> None:
        """Take the compactions."""
        if items != self._items:
            self._items = items
            self.fill(self.chosen)
        self.want_share()

    def rows(self, width: int) -> list[Row]:
        """Title and age; what was replaced; what by."""
        if self.sort == _KEPT:
            self._listed = sorted(self._items, key=self._kept)
        else:
            self._listed = sorted(self._items, key=SORTS[self.sort])
        return [Row((item.session, item.turn, item.at), self._drawn(item, width)) for item in self._listed]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the summary's turn."""
        item = self._listed[index]
        self.post_message(self.Chosen(item.session, item.turn, read))

    def action_sort(self) -> None:
        """Sort by the next column."""
        names = [*SORTS, _KEPT]
        self.sort = names[(names.index(self.sort) + 1) % len(names)]
        self.fill()
        self.post_message(self.Sorted())

    def want_share(self) -> None:
        """Ask for the next share that is not known, from the row with the cursor on."""
        here = self.highlighted or 0
        unknown = (item for item in self._listed[here:] + self._listed[:here] if item not in self._shares)
        item = next(unknown, None)
        if item is not None:
            self.post_message(self.ShareRequested(item))

    def take_share(self, item: CompactionRow, share: float | None) -> None:
        """Take the share that a summary kept, and ask for the next."""
        self._shares[item] = share
        if self.sort == _KEPT:
            self.fill(self.chosen)
        elif item in self._listed:
            self.replace_option_prompt_at_index(self._listed.index(item), self._drawn(item, self.row_width))
        self.want_share()

    def _kept(self, item: CompactionRow) -> tuple[bool, float]:
        share = self._shares.get(item)
        return share is None, share or 0.0

    def _drawn(self, item: CompactionRow, width: int) -> Content:
        replaced = plural(item.turns_before, "turn") if item.turns_before else "no turn since the one before"
        if item.seconds is not None:
            replaced += f" in {duration(item.seconds)}"
        below = " · ".join(filter(None, (replaced, item.trigger or "", item.project)))
        if not item.summary_length:
            by = "the summary is not written yet"
        else:
            before = f"{tokens(item.tokens_before)} tokens → " if item.tokens_before else ""
            by = f"{before}{number(item.summary_length)} characters{_share(self._shares, item)}"
        lines = (Content.assemble("  ", (cut(line, width - 2), "dim")) for line in (below, by))
        return Content("\n").join([headed(f"⧉ {item.title}", age(item.at, clock.now()), width), *lines])


def _share(shares: dict[CompactionRow, float | None], item: CompactionRow) -> str:
    if item not in shares:
        return ""
    share = shares[item]
    return " · nothing to keep" if share is None else f" · kept {share:.0%}"
