"""The list of hits, three lines each: the session, the snippet, and the reason why the hit was found."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from memtui import clock
from memtui.formatting import age
from memtui.widgets.row_list import ListRow, RowList
from memtui_core.model import Hit, SearchResult, Span

_LOAD_MARGIN = 10
"""More hits are requested when the cursor is so close to the end."""


class HitList(RowList):
    """The hits in the order of the ranking, those of one session as a group."""

    HELP: ClassVar[str] = """\
## Hits

The turns that match the query, the best one of each session. `+3 more` counts the other hits of the session; `space`
lists them. `enter` opens the hit at its best passage, which a bar at the left marks; `n` and `N` go to its other
passages and then to the next hit. `esc` goes back to the query, and pressed again to the view.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "unfold", "More", tooltip="Show or hide the other hits of the session", id="hits.unfold"),
        Binding("h,left", "unfold(False)", "Fold", tooltip="Hide the other hits", show=False, id="hits.fold"),
    ]

    @dataclass
    class Chosen(Message):
        """Show a hit; `read` to go there, otherwise as a preview."""

        hit: Hit
        words: tuple[str, ...]
        prefix: bool
        read: bool

    @dataclass
    class MoreRequested(Message):
        """Load more hits than the `shown` ones: the cursor is near the end."""

        shown: int

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.result: SearchResult | None = None
        self._rows: list[_HitRow] = []
        self._unfolded: set[int] = set()
        """The groups, by `Hit.group`, whose other hits are listed."""

    def show(self, result: SearchResult) -> None:
        """Show the result of a query; a newer result of the same query leaves the cursor on its hit."""
        before, self.result = self.result, result
        if before is None or before.query != result.query:
            self._unfolded.clear()
            self.fill()
        elif before.hits != result.hits:
            self.fill(self.chosen)

    def rows(self, width: int) -> list[ListRow]:
        """Three lines for each hit."""
        now = clock.now()
        self._rows = _hit_rows(self.result.hits if self.result is not None else (), self._unfolded)
        return [ListRow(_row_key(row.hit), _content(row, now, width)) for row in self._rows]

    def action_unfold(self, unfold: bool | None = None) -> None:
        """Show or hide the other hits of the session; when they are hidden, the cursor goes to the best hit."""
        if self.highlighted is None:
            return
        group = self._rows[self.highlighted].hit.group
        show = group not in self._unfolded if unfold is None else unfold
        if show != (group in self._unfolded):
            self._unfolded ^= {group}
            best = next(row.hit for row in self._rows if row.hit.group == group)
            self.fill(self.chosen if show else _row_key(best))

    def choose(self, index: int, *, read: bool) -> None:
        """Show the hit, and request more hits near the end."""
        if self.result is None:
            return
        self.post_message(self.Chosen(self._rows[index].hit, self.result.words, self.result.prefix, read))
        # Index 0 is chosen by itself while the query is typed.
        if self.result.more and index and index >= len(self._rows) - _LOAD_MARGIN:
            self.post_message(self.MoreRequested(len(self.result.hits)))


@dataclass(frozen=True, slots=True)
class _HitRow:
    """A row of the list: the best hit of a group, or one of the others below it."""

    hit: Hit
    more: int = 0
    """How many other hits of the group are hidden."""
    below: bool = False
    """Whether it is one of the others."""


def _hit_rows(hits: Sequence[Hit], unfolded: Collection[int]) -> list[_HitRow]:
    if not hits:
        return []
    from memtui_core.search.hits import group_hits

    rows = []
    for group in group_hits(hits):
        is_unfolded = group.best.group in unfolded
        rows.append(_HitRow(group.best, 0 if is_unfolded else len(group.others)))
        rows += [_HitRow(hit, below=True) for hit in group.others if is_unfolded]
    return rows


def _row_key(hit: Hit) -> tuple[int, int]:
    return hit.session, hit.turn


def _content(row: _HitRow, now: datetime, width: int) -> Content:
    hit = row.hit
    facts = " · ".join(filter(None, [hit.project, age(hit.started_at, now)]))
    more = f"  +{row.more} more" if row.more else ""
    head = Content.assemble((hit.title, "bold"), (more, "$text-accent"), (f"  {facts}", "dim"))
    if row.below:
        facts = " · ".join(filter(None, [f"turn {hit.turn}", age(hit.started_at, now)]))
        head = Content.assemble(("  └ ", "dim"), (facts, "dim"))
        width -= 4
    text, spans = excerpt(hit.snippet, hit.spans, width)
    snippet = Content(text)
    for span in spans:
        snippet = snippet.stylize("bold underline $text-accent", span.start, span.end)
    lead = "    " if row.below else ""
    return Content("\n").join([head, Content(lead) + snippet, Content.styled(lead + " · ".join(hit.why), "dim")])


def excerpt(text: str, spans: Sequence[Span], width: int) -> tuple[str, list[Span]]:
    """Return the part of a snippet that shows its first match within `width` cells, and the matches in that part.

    The part begins with a whole word if there is a blank before the match.
    """
    first = spans[0] if spans else Span(0, 0)
    if cell_len(text[: first.end]) <= width:
        return text, list(spans)
    start = first.start
    while start > 0 and cell_len(text[start - 1 : first.start]) < width // 3:
        start -= 1
    if start > 0 and not text[start - 1].isspace():
        blank = text.find(" ", start, first.start)
        start = blank + 1 if blank >= 0 else start
    part = "…" + text[start:].lstrip()
    offset = start + len(text[start:]) - len(text[start:].lstrip()) - 1
    return part, [Span(span.start - offset, span.end - offset) for span in spans if span.start > offset]
