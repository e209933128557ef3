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
    "kept": lambda row: (row.share_kept is None, row.share_kept or 0.0),
}
"""Orders of the compactions, by the name that the border shows; by `kept` the least kept come first."""


class CompactionList(RowList):
    """Three lines each, the last with the share that the summary kept."""

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

    class Sorted(Message):
        """The compactions stand in another order."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.sort = "last"
        self._items: Sequence[CompactionRow] = ()
        self._listed: list[CompactionRow] = []

    def show(self, items: Sequence[CompactionRow]) -> None:
        """Take the compactions."""
        if items != self._items:
            self._items = items
            self.fill(self.chosen)

    def rows(self, width: int) -> list[Row]:
        """Title and age; what was replaced; what by."""
        self._listed = sorted(self._items, key=SORTS[self.sort])
        return [Row((item.session, item.turn, item.at), self._drawn(item, width)) for item in self._listed]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the summary's turn."""
        item = self._listed[index]
        self.post_message(self.Chosen(item.session, item.turn, read))

    def action_sort(self) -> None:
        """Sort by the next column."""
        names = list(SORTS)
        self.sort = names[(names.index(self.sort) + 1) % len(names)]
        self.fill()
        self.post_message(self.Sorted())

    def _drawn(self, item: CompactionRow, width: int) -> Content:
        replaced = plural(item.turns_before, "turn") if item.turns_before else "no turn since the one before"
        if item.seconds is not None:
            replaced += f" in {duration(item.seconds)}"
        below = " · ".join(filter(None, (replaced, item.trigger or "", item.project)))
        if not item.summary_length:
            by = "the summary is not written yet"
        else:
            before = f"{tokens(item.tokens_before)} tokens → " if item.tokens_before else ""
            by = f"{before}{number(item.summary_length)} characters{_share(item)}"
        lines = (Content.assemble("  ", (cut(line, width - 2), "dim")) for line in (below, by))
        return Content("\n").join([headed(f"⧉ {item.title}", age(item.at, clock.now()), width), *lines])


def _share(item: CompactionRow) -> str:
    if not item.is_reviewed:
        return ""
    return " · nothing to keep" if item.share_kept is None else f" · kept {item.share_kept:.0%}"
