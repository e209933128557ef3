"""One compaction in review: what its summary lost and kept, what was read again, the summary, and the turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from memtui.formatting import cut, middle_cut, number
from memtui.render.clean import clean
from memtui.widgets.row_list import Row, RowList
from memtui_core.model import Turn

if TYPE_CHECKING:
    from memtui_core.compaction import Review, ReviewItem

Tab = Literal["lost", "kept", "read again", "summary", "turns"]
TABS: tuple[Tab, ...] = ("lost", "kept", "read again", "summary", "turns")
_FILES = frozenset({"edited", "read"})
_COLOURS = {"correction": "$text-error", "failed": "$text-error", "error": "$text-error", "request": "$text-accent"}
_KIND = 11
"""Cells of a kind's name and the blank behind it."""
_NAMED = 6
"""Turns of a sentence that are named."""
_MARKED = 60
"""Characters of an item's text that are looked for in its turn."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """What a row stands for."""

    row: Row
    turns: tuple[int, ...]
    """Turns that it tells of, the best first."""
    words: tuple[str, ...] = ()


class ReviewList(RowList):
    """Lists by tabs; choosing a row shows its turn beside it."""

    HELP: ClassVar[str] = """\
## Review of a compaction

What the summary names of the turns that it replaced, by rules: a file counts as kept when the summary names it, a
command by its program and what it was about, a request or a decision by most of its rare words, an error, an
identifier or an address word for word. Heaviest first: by its kind, how often and how late it came. `[` and `]` go
through what was lost, what was kept, what the agent read again afterwards, the summary with the turns that each
sentence speaks of, and the turns with what the summary says of them. `enter` reads the turn, `space` shows the next
turn of a sentence.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right_square_bracket", "tab(1)", "Next list", tooltip="To the next list", id="review.next"),
        Binding(
            "left_square_bracket", "tab(-1)", "Last list", tooltip="To the list before", show=False, id="review.last"
        ),
        Binding(
            "space", "next_turn", "Next turn", tooltip="The next turn of the sentence", show=False, id="review.turn"
        ),
    ]

    @dataclass
    class Chosen(Message):
        """A turn is to be shown; `read` when the person wants to go there."""

        session: int
        turn: int
        words: tuple[str, ...]
        read: bool

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.tab: Tab = "lost"
        self.review: Review | None = None
        self._turns: Sequence[Turn] = ()
        self._entries: list[_Entry] = []
        self._step = 0
        """Which turn of the row is shown."""

    def show(self, review: Review, turns: Sequence[Turn]) -> None:
        """Take a review, and the heads of its session's turns."""
        same = self.review is not None and (self.review.session, self.review.turn) == (review.session, review.turn)
        self.review, self._turns = review, turns
        self.border_subtitle = Content(_segments(review, turns))
        if not same:
            self.tab = "lost"
        self._entitle()
        self.fill(self.chosen if same else None)

    def rows(self, width: int) -> Sequence[Row]:
        """The list of the tab."""
        review = self.review
        if review is None:
            return []
        if self.tab == "summary":
            entries = _sentences(review, width)
        elif self.tab == "turns":
            entries = _turns(review, self._turns, width)
        else:
            items = {"lost": review.lost, "kept": review.kept, "read again": review.changed_after}[self.tab]
            entries = (_item(item, width) for item in items)
        self._entries = list(entries) or [_Entry(Row("nothing", Content.styled("Nothing.", "dim")), ())]
        return [entry.row for entry in self._entries]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the best turn of the row."""
        self._step = 0
        self._show_turn(index, read=read)

    def _show_turn(self, index: int, *, read: bool) -> None:
        entry = self._entries[index]
        if self.review is not None and entry.turns:
            turn = entry.turns[self._step % len(entry.turns)]
            self.post_message(self.Chosen(self.review.session, turn, entry.words, read))

    def action_next_turn(self) -> None:
        """Show the next turn of the row."""
        if self.highlighted is not None:
            self._step += 1
            self._show_turn(self.highlighted, read=False)

    def action_tab(self, direction: int) -> None:
        """Go to another list; after the last comes the first."""
        self.tab = TABS[(TABS.index(self.tab) + direction) % len(TABS)]
        self._entitle()
        self.fill()

    def _entitle(self) -> None:
        review = self.review
        if review is None:
            return
        counts = {"lost": len(review.lost), "kept": len(review.kept), "read again": len(review.changed_after)}
        titles = [f"{tab} {counts[tab]}" if tab in counts else tab for tab in TABS]
        here = TABS.index(self.tab)
        parts = [(f"[{title}]" if place == here else title) for place, title in enumerate(titles)]
        self.border_title = Content(" ".join(parts))


def _item(item: ReviewItem, width: int) -> _Entry:
    times = f" ×{number(item.times)}" if item.times > 1 else ""
    place = f"{times} {item.turn:>4}"
    shorten = middle_cut if item.kind in _FILES else cut
    text = shorten(clean(item.text).replace("\n", " "), max(8, width - _KIND - len(place)))
    colour = _COLOURS.get(item.kind, "$text-muted")
    gap = " " * max(0, width - _KIND - cell_len(text) - len(place))
    content = Content.assemble((f"{item.kind:<{_KIND}}", colour), text, gap, (place, "dim"))
    words = item.text.rpartition("/")[2] if item.kind in _FILES else item.text[:_MARKED]
    return _Entry(Row((item.kind, item.text, item.line), content), (item.turn,), (words,))


def _sentences(review: Review, width: int) -> Iterator[_Entry]:
    """The summary: its headings, and under each its sentences with the turns that they speak of."""
    from memtui_core.compaction import linked_turns

    headings = {section.span.start: section for section in review.outline}
    titles = {section.title.rstrip(":") for section in review.outline}
    spans = {span.start: span for span in review.sentences}
    for start in sorted({*headings, *spans}):
        if (section := headings.get(start)) is not None:
            content = Content.assemble((cut(f"{'  ' * (section.level - 1)}{section.title}", width), "bold"))
            turns = tuple(score.turn for score in linked_turns(review, section))
            yield _Entry(Row((start, "section"), content), turns)
        span = spans.get(start)
        text = " ".join(clean(review.summary[span.start : span.end]).split()) if span is not None else ""
        if span is not None and text.strip("#*: ") not in titles:
            turns = tuple(score.turn for score in linked_turns(review, span))
            said = f"→ {', '.join(map(str, turns[:_NAMED]))}" if turns else "→ no turn"
            content = Content.assemble("  ", cut(text, width - 2), "\n", (f"    {said}", "dim"))
            yield _Entry(Row((start, "sentence"), content), turns)


def _turns(review: Review, turns: Sequence[Turn], width: int) -> Iterator[_Entry]:
    """The turns that were replaced, each with the first sentence that speaks of it, or without one."""
    from memtui_core.compaction import linked_sentences

    first, last = review.first_turn or 0, review.last_turn or -1
    for turn in turns:
        if not first <= turn.number <= last:
            continue
        said = linked_sentences(review, turn.number)
        text = " ".join(clean(turn.user_text or f"({turn.kind})").split())
        if said:
            quote = " ".join(clean(review.summary[said[0].start : said[0].end]).split())
            more = f" +{len(said) - 1}" if len(said) > 1 else ""
            below = (f"     “{cut(quote, width - 8 - len(more))}”{more}", "dim")
        else:
            below = ("     the summary does not speak of it", "$text-warning")
        head = Content.assemble((f"{turn.number:>4} ", "$text-accent"), cut(text, width - 5), "\n", below)
        yield _Entry(Row(turn.number, head), (turn.number,))


def _segments(review: Review, turns: Sequence[Turn]) -> str:
    """The share kept, and the session's segments: `1–12 ⧉ [13–30] ⧉ 31–42`; what was replaced stands in brackets."""
    starts = [turn.number for turn in turns if turn.kind == "compaction" and turn.number != 1]
    bounds = [turns[0].number if turns else 1, *starts, (turns[-1].number if turns else 0) + 1]
    parts = []
    for start, end in pairwise(bounds):
        text = f"{start}–{end - 1}" if end - 1 > start else str(start)
        parts.append(f"[{text}]" if review.turn is not None and end == review.turn else text)
    share = f"{review.share_kept:.0%} kept · " if review.share_kept is not None else ""
    return share + " ⧉ ".join(parts)
