"""The list of compactions, with what each summary replaced and what it lacks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from textual.content import Content

from memtui.views.base import NEWEST
from memtui.views.compactions.kinds import named
from memtui.views.compactions.review_head import title_mark, turn_span, when
from memtui.widgets.table.columns import Order, TableColumn
from memtui.widgets.table.table_list import TableList
from memtui.wording.formatting import cut, duration, number, tokens
from memtui_core.index.compactions import CompactionRow
from memtui_core.text.token_estimate import estimated_tokens

NOT_REVIEWED: Final = "not reviewed yet"


class CompactionList(TableList[CompactionRow]):
    """A line with columns for each compaction."""

    HELP: ClassVar[str] = """\
## Compactions

Each compaction with its time, session and project, the turns that it replaced, the tokens before and about how many the
summary has, how many things that matter the summary lacks, and the first of them; a narrow list has fewer columns. What
is not reviewed yet is reviewed while you look. `/` filters by words of the title, the project and the summary; `s`
sorts by the next column, `I` the other way round, and so does a click on a heading; `enter` opens the review: what the
summary kept and lost, or without a summary to read the transcript at this place.
"""

    def __init__(self, show: Callable[[CompactionRow, bool], None], order_changed: Callable[[], None]) -> None:
        """`show` is called with a compaction, and whether to open its review instead of a preview."""
        super().__init__(Order(NEWEST), order_changed, id="compactions")
        self._show_compaction = show
        self._compactions: Sequence[CompactionRow] = ()
        self._sorted: list[CompactionRow] = []

    def show(self, compactions: Sequence[CompactionRow]) -> None:
        """Show compactions."""
        if compactions != self._compactions:
            self._compactions = compactions
            self.fill(self.chosen)

    def fill_in(self, reviewed: Sequence[CompactionRow]) -> None:
        """Show what was found of compactions that were not reviewed yet."""
        found = {(row.source, row.line): row for row in reviewed}
        self._compactions = [found.get((row.source, row.line), row) for row in self._compactions]
        self.fill(self.chosen)

    def go_to(self, row: CompactionRow) -> None:
        """Move the cursor to a compaction, now or when it is listed."""
        self.fill((row.session, row.turn, row.at))

    @property
    def unreviewed(self) -> list[CompactionRow]:
        """The compactions whose summaries are not reviewed yet, those near the cursor first."""
        cursor = self.highlighted or 0
        near = sorted(enumerate(self._sorted), key=lambda placed: abs(placed[0] - cursor))
        return [row for _, row in near if not row.is_reviewed and row.summary_length]

    @property
    def compaction(self) -> CompactionRow | None:
        """The compaction under the cursor."""
        return self._sorted[self.highlighted] if self.highlighted is not None else None

    @property
    def columns(self) -> list[TableColumn[CompactionRow]]:
        """With the projects if there are several."""
        return _columns(len({row.project for row in self._compactions}) > 1)

    def lines(self) -> list[CompactionRow]:
        """The compactions in their order."""
        self._sorted = self.ordered(self._compactions)
        return self._sorted

    def key_of(self, row: CompactionRow) -> Hashable:
        """The turn of the summary; without one, the time."""
        return row.session, row.turn, row.at

    def key_name(self, action: str) -> str | None:
        """The review is opened; without a summary the transcript."""
        cursor = self.highlighted
        if action != "select" or cursor is None or cursor >= len(self._sorted):
            return None
        return "Review" if self._sorted[cursor].turn is not None else None

    def choose(self, index: int, *, read: bool) -> None:
        """Show the turn of the summary."""
        self._show_compaction(self._sorted[index], read)


def _columns(has_projects: bool) -> list[TableColumn[CompactionRow]]:
    """When, the session, its project if there are several, what was replaced, what became of it, and what it lacks."""
    project: TableColumn[CompactionRow] = TableColumn(
        "project",
        lambda row: row.project,
        lambda row: row.project.casefold(),
        rank=3,
        least=8,
        enough=18,
        most=24,
        style="dim",
    )
    return [
        TableColumn(
            NEWEST,
            lambda row: when(row.at),
            lambda row: row.at.timestamp() if row.at is not None else 0.0,
            heading="when",
            descending=True,
            style="dim",
        ),
        TableColumn(
            "title",
            lambda row: f"{row.title}{title_mark(row)}",
            lambda row: row.title.casefold(),
            least=24,
            enough=36,
            most=72,
            content=_title,
        ),
        *([project] if has_projects else []),
        _figure("turns", _turns, lambda row: row.turns_before, rank=5),
        _figure("time", _taken, lambda row: row.seconds or 0.0, rank=7),
        _figure("tokens", _tokens_before, lambda row: row.tokens_before or 0, rank=2),
        _figure("length", _summary_size, lambda row: row.summary_length, rank=2, heading="summary"),
        _figure("missing", _lost_count, _lost_order, rank=0, heading="lost"),
        TableColumn("what", _lost, heading="not in the summary", rank=4, least=24, enough=40, grows=True, style="dim"),
    ]


def _title(row: CompactionRow, width: int) -> Content:
    """The title of the session, which is cut before the mark."""
    mark = title_mark(row)
    return Content.assemble((cut(row.title, width - cell_len(mark)), "bold"), (mark, "dim"))


def _figure(
    name: str,
    text: Callable[[CompactionRow], str],
    order: Callable[[CompactionRow], Any],
    *,
    rank: int,
    heading: str = "",
) -> TableColumn[CompactionRow]:
    return TableColumn(name, text, order, heading=heading, descending=True, rank=rank, right=True)


def _turns(row: CompactionRow) -> str:
    """The replaced turns: `14–15`."""
    return "" if row.first_turn is None else turn_span(row.first_turn, row.last_turn).rpartition(" ")[2]


def _tokens_before(row: CompactionRow) -> str:
    return tokens(row.tokens_before) if row.tokens_before else ""


def _taken(row: CompactionRow) -> str:
    """How long the replaced turns took."""
    return duration(row.seconds) if row.seconds else ""


def _summary_size(row: CompactionRow) -> str:
    """About how many tokens the summary has."""
    return f"about {tokens(estimated_tokens(row.summary_length))}" if row.summary_length else ""


def _lost_count(row: CompactionRow) -> str:
    """How many things that matter the summary lacks; `?` until it is reviewed."""
    return "" if not row.summary_length else number(len(row.lost)) if row.is_reviewed else "?"


def _lost_order(row: CompactionRow) -> tuple[bool, int, int]:
    """Doubtful claims last, and before them those that lack most; those that are not reviewed first."""
    return row.is_reviewed, sum(item.kind == "contradiction" for item in row.lost), len(row.lost)


def _lost(row: CompactionRow) -> str:
    """The most important thing that the summary lacks, in words."""
    if not row.summary_length:
        return "no summary to read"
    if not row.is_reviewed:
        return NOT_REVIEWED
    return named(row.lost[0]) if row.lost else "little is missing"
