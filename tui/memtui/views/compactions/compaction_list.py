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
from memtui_core.queries.rows import CompactionRow

SORTS: Final[dict[str, Callable[[CompactionRow], Any]]] = {
    "last": lambda row: -(row.at.timestamp() if row.at else 0.0),
    "tokens": lambda row: -(row.tokens_before or 0),
    "turns": lambda row: -row.turns_before,
    "time": lambda row: -(row.seconds or 0.0),
    "length": lambda row: -row.summary_length,
    "project": attrgetter("project"),
}
"""Sort keys, by the name in the border. `kept`, the least kept first, is not among them: the shares come later."""
_KEPT = "kept"


class CompactionList(RowList):
    """Three lines for each compaction; the shares that summaries kept are requested one by one."""

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

    @dataclass
    class ShareRequested(Message):
        """Compute the share that a summary kept."""

        row: CompactionRow

    class Sorted(Message):
        """The order has changed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.sort = "last"
        self._compactions: Sequence[CompactionRow] = ()
        self._sorted: list[CompactionRow] = []
        self._shares: dict[CompactionRow, float | None] = {}

    def show(self, compactions: Sequence[CompactionRow]) -> None:
        """Show compactions."""
        if compactions != self._compactions:
            self._compactions = compactions
            self.fill(self.chosen)
        self.request_share()

    def rows(self, width: int) -> list[ListRow]:
        """Title and age; the replaced turns; the summary."""
        if self.sort == _KEPT:
            self._sorted = sorted(self._compactions, key=self._share_order)
        else:
            self._sorted = sorted(self._compactions, key=SORTS[self.sort])
        return [ListRow((row.session, row.turn, row.at), self._content(row, width)) for row in self._sorted]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the turn of the summary."""
        row = self._sorted[index]
        self.post_message(self.Chosen(row.session, row.turn, read))

    def action_sort(self) -> None:
        """Sort by the next column."""
        names = [*SORTS, _KEPT]
        self.sort = names[(names.index(self.sort) + 1) % len(names)]
        self.fill()
        self.post_message(self.Sorted())

    def request_share(self) -> None:
        """Request the next unknown share, starting at the cursor."""
        start = self.highlighted or 0
        unknown = (row for row in self._sorted[start:] + self._sorted[:start] if row not in self._shares)
        row = next(unknown, None)
        if row is not None:
            self.post_message(self.ShareRequested(row))

    def show_share(self, row: CompactionRow, share: float | None) -> None:
        """Show the share that a summary kept, 0 to 1, or None if there was nothing to keep; request the next one."""
        self._shares[row] = share
        if self.sort == _KEPT:
            self.fill(self.chosen)
        elif row in self._sorted:
            self.replace_option_prompt_at_index(self._sorted.index(row), self._content(row, self.row_width))
        self.request_share()

    def _share_order(self, row: CompactionRow) -> tuple[bool, float]:
        share = self._shares.get(row)
        return share is None, share or 0.0

    def _content(self, row: CompactionRow, width: int) -> Content:
        replaced = plural(row.turns_before, "turn") if row.turns_before else "no turn since the previous one"
        if row.seconds is not None:
            replaced += f" in {duration(row.seconds)}"
        facts = " · ".join(filter(None, (replaced, row.trigger or "", row.project)))
        if not row.summary_length:
            summary = "the summary is not written yet"
        else:
            tokens_before = f"{tokens(row.tokens_before)} tokens → " if row.tokens_before else ""
            summary = f"{tokens_before}{number(row.summary_length)} characters{_share_text(self._shares, row)}"
        lines = (Content.assemble("  ", (cut(line, width - 2), "dim")) for line in (facts, summary))
        return Content("\n").join([title_line(f"⧉ {row.title}", age(row.at, clock.now()), width), *lines])


def _share_text(shares: dict[CompactionRow, float | None], row: CompactionRow) -> str:
    if row not in shares:
        return ""
    share = shares[row]
    return " · nothing to keep" if share is None else f" · kept {share:.0%}"
