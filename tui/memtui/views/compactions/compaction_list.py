"""The list of compactions, with what each summary replaced and how much of it the summary kept."""

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
from memtui.widgets.row_list import ListRow, RowList, title_line
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
"""Sort keys, by the name in the border; `kept` puts the least kept first."""


class CompactionList(RowList):
    """Three lines for each compaction, the last with the share that the summary kept."""

    HELP: ClassVar[str] = """\
## Compactions

Each compaction with its session and project, the replaced turns with their time and tokens, the length of the summary,
and the share of the facts that the summary kept, by the rules of the review. `/` filters by words of the title, the
project and the summary; `s` sorts by the next column; `enter` opens the review: what the summary kept and lost.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "sort", "Sort", tooltip="Sort by the next column", id="compactions.sort"),
    ]

    @dataclass
    class Chosen(Message):
        """Show a compaction; `read` to open its review, otherwise as a preview."""

        session: int
        turn: int | None
        read: bool

    class Sorted(Message):
        """The order has changed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.sort = "last"
        self._compactions: Sequence[CompactionRow] = ()
        self._sorted: list[CompactionRow] = []

    def show(self, compactions: Sequence[CompactionRow]) -> None:
        """Show compactions."""
        if compactions != self._compactions:
            self._compactions = compactions
            self.fill(self.chosen)

    def rows(self, width: int) -> list[ListRow]:
        """Title and age; the replaced turns; the summary."""
        self._sorted = sorted(self._compactions, key=SORTS[self.sort])
        return [ListRow((row.session, row.turn, row.at), _content(row, width)) for row in self._sorted]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the turn of the summary."""
        row = self._sorted[index]
        self.post_message(self.Chosen(row.session, row.turn, read))

    def action_sort(self) -> None:
        """Sort by the next column."""
        names = list(SORTS)
        self.sort = names[(names.index(self.sort) + 1) % len(names)]
        self.fill()
        self.post_message(self.Sorted())


def _content(row: CompactionRow, width: int) -> Content:
    replaced = plural(row.turns_before, "turn") if row.turns_before else "no turn since the previous one"
    if row.seconds is not None:
        replaced += f" in {duration(row.seconds)}"
    facts = " · ".join(filter(None, (replaced, row.trigger or "", row.project)))
    if not row.summary_length:
        summary = "the summary is not written yet"
    else:
        tokens_before = f"{tokens(row.tokens_before)} tokens → " if row.tokens_before else ""
        summary = f"{tokens_before}{number(row.summary_length)} characters{_share_text(row)}"
    lines = (Content.assemble("  ", (cut(line, width - 2), "dim")) for line in (facts, summary))
    return Content("\n").join([title_line(f"⧉ {row.title}", age(row.at, clock.now()), width), *lines])


def _share_text(row: CompactionRow) -> str:
    if not row.is_reviewed:
        return ""
    return " · nothing to keep" if row.share_kept is None else f" · kept {row.share_kept:.0%}"
