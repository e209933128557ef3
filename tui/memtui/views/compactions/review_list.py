"""The review of a compaction: what its summary lost and kept, what was read again, the summary, and the turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from memtui.formatting import cut, number
from memtui.path_text import middle_cut
from memtui.render.clean import clean
from memtui.widgets.row_list import ListRow, RowList
from memtui_core.model import Turn

if TYPE_CHECKING:
    from memtui_core.compaction import Review, ReviewItem

ReviewTab = Literal["lost", "kept", "read again", "summary", "turns"]
TABS: tuple[ReviewTab, ...] = ("lost", "kept", "read again", "summary", "turns")
_FILE_KINDS = frozenset({"edited", "read"})
_COLOURS = {"correction": "$text-error", "failed": "$text-error", "error": "$text-error", "request": "$text-accent"}
_KIND_WIDTH = 11
"""Cells of the name of a kind and the blank after it."""
_MAX_TURNS = 6
"""Turns that are listed below a sentence."""
_MARKED_LENGTH = 60
"""Characters of an item's text that are marked in its turn."""


@dataclass(frozen=True, slots=True)
class _ReviewRow:
    """A row with the turns to which it refers."""

    row: ListRow
    turns: tuple[int, ...]
    """Numbers of the turns, best first."""
    words: tuple[str, ...] = ()
    """Words to mark in the turn."""


class ReviewList(RowList):
    """Several lists as tabs; the turn of the chosen row is shown beside them."""

    HELP: ClassVar[str] = """\
## Review of a compaction

What the summary kept of the turns that it replaced, by rules: a file is kept if the summary names it, a command if it
names the program and its arguments, a request or a decision if it contains most of its rare words, an error, an
identifier or an address if it contains it word for word. The most important come first, by kind, number and time. `[`
and `]` go through what was lost, what was kept, what the agent read again afterwards, the summary with the turns of
each sentence, and the turns with their sentences in the summary. `enter` reads the turn, `space` shows the next turn of
a sentence.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right_square_bracket", "tab(1)", "Next list", tooltip="Go to the next list", id="review.next"),
        Binding(
            "left_square_bracket",
            "tab(-1)",
            "Previous list",
            tooltip="Go to the previous list",
            show=False,
            id="review.last",
        ),
        Binding(
            "space",
            "next_turn",
            "Next turn",
            tooltip="Show the next turn of the sentence",
            show=False,
            id="review.turn",
        ),
    ]

    @dataclass
    class Chosen(Message):
        """Show a turn; `read` to go there, otherwise as a preview."""

        session: int
        turn: int
        words: tuple[str, ...]
        read: bool

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.tab: ReviewTab = "lost"
        self.review: Review | None = None
        self._turns: Sequence[Turn] = ()
        self._rows: list[_ReviewRow] = []
        self._step = 0
        """Index of the shown turn among the turns of the row."""

    def show(self, review: Review, turns: Sequence[Turn]) -> None:
        """Show a review; `turns` are all turns of its session, without blocks."""
        is_same = self.review is not None and (self.review.session, self.review.turn) == (review.session, review.turn)
        self.review, self._turns = review, turns
        self.border_subtitle = Content(_segments(review, turns))
        if not is_same:
            self.tab = "lost"
        self._set_title()
        self.fill(self.chosen if is_same else None)

    def rows(self, width: int) -> Sequence[ListRow]:
        """The list of the tab."""
        review = self.review
        if review is None:
            return []
        if self.tab == "summary":
            rows = _sentence_rows(review, width)
        elif self.tab == "turns":
            rows = _turn_rows(review, self._turns, width)
        else:
            items = {"lost": review.lost, "kept": review.kept, "read again": review.changed_after}[self.tab]
            rows = (_item_row(item, width) for item in items)
        self._rows = list(rows) or [_ReviewRow(ListRow("nothing", Content.styled("Nothing.", "dim")), ())]
        return [row.row for row in self._rows]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the best turn of the row."""
        self._step = 0
        self._show_turn(index, read=read)

    def _show_turn(self, index: int, *, read: bool) -> None:
        row = self._rows[index]
        if self.review is not None and row.turns:
            turn = row.turns[self._step % len(row.turns)]
            self.post_message(self.Chosen(self.review.session, turn, row.words, read))

    def action_next_turn(self) -> None:
        """Show the next turn of the row."""
        if self.highlighted is not None:
            self._step += 1
            self._show_turn(self.highlighted, read=False)

    def action_tab(self, direction: int) -> None:
        """Go to the next list (1) or the previous one (-1); the first follows the last."""
        self.tab = TABS[(TABS.index(self.tab) + direction) % len(TABS)]
        self._set_title()
        self.fill()

    def _set_title(self) -> None:
        review = self.review
        if review is None:
            return
        counts = {"lost": len(review.lost), "kept": len(review.kept), "read again": len(review.changed_after)}
        titles = [f"{tab} {counts[tab]}" if tab in counts else tab for tab in TABS]
        chosen = TABS.index(self.tab)
        parts = [(f"[{title}]" if index == chosen else title) for index, title in enumerate(titles)]
        self.border_title = Content(" ".join(parts))


def _item_row(item: ReviewItem, width: int) -> _ReviewRow:
    times = f" ×{number(item.times)}" if item.times > 1 else ""
    right = f"{times} {item.turn:>4}"
    shorten = middle_cut if item.kind in _FILE_KINDS else cut
    text = shorten(clean(item.text).replace("\n", " "), max(8, width - _KIND_WIDTH - len(right)))
    colour = _COLOURS.get(item.kind, "$text-muted")
    gap = " " * max(0, width - _KIND_WIDTH - cell_len(text) - len(right))
    content = Content.assemble((f"{item.kind:<{_KIND_WIDTH}}", colour), text, gap, (right, "dim"))
    words = item.text.rpartition("/")[2] if item.kind in _FILE_KINDS else item.text[:_MARKED_LENGTH]
    return _ReviewRow(ListRow((item.kind, item.text, item.line), content), (item.turn,), (words,))


def _sentence_rows(review: Review, width: int) -> Iterator[_ReviewRow]:
    """The headings of the summary, each followed by its sentences with the turns to which they refer."""
    from memtui_core.compaction import linked_turns

    headings = {section.span.start: section for section in review.outline}
    titles = {section.title.rstrip(":") for section in review.outline}
    spans = {span.start: span for span in review.sentences}
    for start in sorted({*headings, *spans}):
        if (section := headings.get(start)) is not None:
            content = Content.assemble((cut(f"{'  ' * (section.level - 1)}{section.title}", width), "bold"))
            turns = tuple(score.turn for score in linked_turns(review, section))
            yield _ReviewRow(ListRow((start, "section"), content), turns)
        span = spans.get(start)
        text = " ".join(clean(review.summary[span.start : span.end]).split()) if span is not None else ""
        if span is not None and text.strip("#*: ") not in titles:
            turns = tuple(score.turn for score in linked_turns(review, span))
            numbers = f"→ {', '.join(map(str, turns[:_MAX_TURNS]))}" if turns else "→ no turn"
            content = Content.assemble("  ", cut(text, width - 2), "\n", (f"    {numbers}", "dim"))
            yield _ReviewRow(ListRow((start, "sentence"), content), turns)


def _turn_rows(review: Review, turns: Sequence[Turn], width: int) -> Iterator[_ReviewRow]:
    """The replaced turns, each with the first sentence of the summary that refers to it, if there is one."""
    from memtui_core.compaction import linked_sentences

    first, last = review.first_turn or 0, review.last_turn or -1
    for turn in turns:
        if not first <= turn.number <= last:
            continue
        sentences = linked_sentences(review, turn.number)
        text = " ".join(clean(turn.user_text or f"({turn.kind})").split())
        if sentences:
            quote = " ".join(clean(review.summary[sentences[0].start : sentences[0].end]).split())
            more = f" +{len(sentences) - 1}" if len(sentences) > 1 else ""
            below = (f"     “{cut(quote, width - 8 - len(more))}”{more}", "dim")
        else:
            below = ("     the summary does not mention it", "$text-warning")
        content = Content.assemble((f"{turn.number:>4} ", "$text-accent"), cut(text, width - 5), "\n", below)
        yield _ReviewRow(ListRow(turn.number, content), (turn.number,))


def _segments(review: Review, turns: Sequence[Turn]) -> str:
    """The share kept, and the segments: `1–12 ⧉ [13–30] ⧉ 31–42`, the replaced one in brackets."""
    starts = [turn.number for turn in turns if turn.kind == "compaction" and turn.number != 1]
    bounds = [turns[0].number if turns else 1, *starts, (turns[-1].number if turns else 0) + 1]
    parts = []
    for start, end in pairwise(bounds):
        text = f"{start}–{end - 1}" if end - 1 > start else str(start)
        parts.append(f"[{text}]" if review.turn is not None and end == review.turn else text)
    share = f"{review.share_kept:.0%} kept · " if review.share_kept is not None else ""
    return share + " ⧉ ".join(parts)
