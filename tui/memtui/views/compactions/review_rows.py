"""The rows of a review: facts with their kind and turns, the sentences of the summary, the replaced turns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from rich.cells import cell_len
from textual.content import Content

from memtui.render.clean import clean
from memtui.render.rows import Row, Span, wrap
from memtui.views.compactions.kinds import BEFORE_FORK, COLOURS, WIDTH, WORDS, already_lost, counts, plain_item
from memtui.widgets.row_list import ListRow
from memtui.wording.formatting import cut, number
from memtui_core.index.compactions import CLAIMED, DETAILS
from memtui_core.model import Turn
from memtui_core.text.markdown.plain import plain_line

if TYPE_CHECKING:
    from memtui_core.index.compactions import Review, ReviewItem

_FILE_KINDS = frozenset({"edited", "read", "file"})
_MAX_TURNS = 6
"""Turns that are listed after a text."""
_MARKED_LENGTH = 60
"""Characters of an item's text that are marked in its turn."""
_PATH_PARTS = re.compile(r"[^/]*/|[^/]+")
_HAPPENED = re.compile(r" was (?:edited|not allowed)$")
"""What memtui says of a file or a command that a summary denies: the turn has only its name."""
_MARKUP = re.compile(r"[*`‣]+")


Fold = Literal["more", "details"]
"""The parts of a list that can be unfolded: what was said and matters less, and what was done."""


@dataclass(frozen=True, slots=True)
class RowSigns:
    """What rows say of their items besides what these are."""

    marked: Collection[ReviewItem] = ()
    """Those that the user has marked, to act on all of them."""
    sent: Mapping[ReviewItem, bool] = field(default_factory=dict)
    """Those that were sent to the agent, each with whether it has got it."""

    def before(self, item: ReviewItem) -> str:
        """The mark."""
        return "☑ " if item in self.marked else ""

    def after(self, item: ReviewItem) -> str:
        """Whether the agent has got what was sent."""
        if item not in self.sent:
            return ""
        return " · the agent has it" if self.sent[item] else " · waits for the agent"


NO_SIGNS: Final = RowSigns()


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A row with the turns to which it refers."""

    row: ListRow
    turns: tuple[int, ...] = ()
    """Numbers of the turns, best first."""
    words: tuple[str, ...] = ()
    """Words to mark in the turn."""
    folds: Fold | None = None
    """The part that the row folds and unfolds."""
    is_folded_below: bool = False
    """Whether it stands below the row that folds it."""
    session: int | None = None
    """`Session.key` of the turns if they may be of another session: a fork begins with turns of another one."""
    item: ReviewItem | None = None
    """The item of the row, if it is one that the summary lacks."""


def lost_rows(review: Review, width: int, turned: Collection[Fold], signs: RowSigns = NO_SIGNS) -> Iterator[ReviewRow]:
    """What matters, then one row each for the rest of what was said and for the details.

    These parts are folded, the rest only if something matters; those in `turned` are the other way round.
    """
    main, others = review.main, review.others
    for item in main:
        yield item_row(item, width, session=review.session, signs=signs)
    title = f"{number(len(others))} more" if main else f"{number(len(others))} that may matter"
    preview = cut(plain_item(others[0]), width) if others else ""
    is_unfolded = ("more" in turned) == bool(main)
    yield from _folded(others, "more", title, preview, width, review.session, is_unfolded=is_unfolded, signs=signs)
    yield from _details(review.details, width, turned, review.session, signs)


def kept_rows(review: Review, width: int, turned: Collection[Fold]) -> Iterator[ReviewRow]:
    """What was said, then one row for the details, which are folded unless they are in `turned`."""
    for item in review.kept:
        if item.kind not in DETAILS:
            yield item_row(item, width, session=review.session)
    details = [item for item in review.kept if item.kind in DETAILS]
    yield from _details(details, width, turned, review.session)


def _details(
    items: Sequence[ReviewItem], width: int, turned: Collection[Fold], session: int, signs: RowSigns = NO_SIGNS
) -> Iterator[ReviewRow]:
    preview = ", ".join(counts(Counter(item.kind for item in items)))
    title = f"{number(len(items))} detail{'s' * (len(items) != 1)}"
    yield from _folded(items, "details", title, preview, width, session, is_unfolded="details" in turned, signs=signs)


def _folded(
    items: Sequence[ReviewItem],
    fold: Fold,
    title: str,
    preview: str,
    width: int,
    session: int,
    *,
    is_unfolded: bool,
    signs: RowSigns,
) -> Iterator[ReviewRow]:
    if not items:
        return
    title = f"{'▾' if is_unfolded else '▸'} {title}"
    after = "" if is_unfolded else cut(f"  {preview}", max(4, width - len(title)))
    yield ReviewRow(ListRow(fold, Content.assemble((title, "bold"), (after, "dim"))), folds=fold)
    if is_unfolded:
        yield from (item_row(item, width, is_folded_below=True, session=session, signs=signs) for item in items)


def afterwards_rows(review: Review, width: int, signs: RowSigns = NO_SIGNS) -> Iterator[ReviewRow]:
    """What was lost and came up again after the compaction, each with both turns, then the files read again."""
    for again in review.recurrences:
        lead: Span = (_lead(again.how, again.item, signs), "$text-error")
        lost = f"lost: “{plain_item(again.item)}” ·\xa0turn\xa0{again.item.turn}"
        text = f"{_plain(again.text)} · turn {again.turn} · {lost}"
        yield ReviewRow(
            ListRow(
                (again.how, again.item.text, again.turn),
                _hanging((lead,), ((text, ""), (signs.after(again.item), "dim")), width),
            ),
            (again.turn, again.item.turn),
            item=again.item,
        )
    yield from (item_row(item, width, signs=signs) for item in review.changed_after)


def _lead(word: str, item: ReviewItem, signs: RowSigns) -> str:
    """The mark of a row, and the word with which it begins, with the blanks after it."""
    return f"{signs.before(item)}{word} ".ljust(WIDTH)


def item_row(
    item: ReviewItem,
    width: int,
    *,
    is_folded_below: bool = False,
    session: int = 0,
    signs: RowSigns = NO_SIGNS,
) -> ReviewRow:
    """An item: its kind, its whole text, and where it occurs; `session` is the session of the review."""
    lead: Span = (_lead(WORDS[item.kind], item, signs), COLOURS.get(item.kind, "dim"))
    text = plain_item(item)
    if item.kind in _FILE_KINDS:
        text = _wrapped_path(text, width - len(lead[0]))
    place = _place(item, is_elsewhere=session not in {0, item.session})
    content = _hanging((lead,), ((text, ""), (f"{place}{signs.after(item)}", "dim")), width)
    words = item.text.rpartition("/")[2] if item.kind in _FILE_KINDS else _marked(item)
    # The turn of the item comes first, then the others, from there on.
    at = item.turns.index(item.turn)
    return ReviewRow(
        ListRow((item.kind, item.text, item.line), content),
        item.turns[at:] + item.turns[:at],
        (words,),
        is_folded_below=is_folded_below,
        session=item.session or None,
        item=item,
    )


def _place(item: ReviewItem, *, is_elsewhere: bool) -> str:
    """How often, in which turns, and where it was lost before: ` · turn 3 · already lost at the 1st …`."""
    times = f" · {number(item.times)} times" if item.times > 1 else ""
    elsewhere = f" {BEFORE_FORK}" if is_elsewhere else ""
    dropped = f" · {already_lost(item.dropped_at)}" if item.dropped_at else ""
    return f"{times} ·\xa0{_turns_text(item.turns)}{elsewhere}{dropped}"


def sentence_rows(review: Review, width: int) -> Iterator[ReviewRow]:
    """The headings of the summary, each followed by its sentences with the turns to which they refer.

    A sentence that says next to nothing and refers to no turn is left out.
    """
    from memtui_core.index.compactions import linked_turns, says_little

    headings = {section.span.start: section for section in review.outline}
    titles = {_plain(section.title).rstrip(":") for section in review.outline}
    spans = {span.start: span for span in review.sentences}
    for start in sorted({*headings, *spans}):
        if (section := headings.get(start)) is not None:
            content = _hanging((), ((_plain(section.title), "bold"),), width, 2 * (section.level - 1))
            yield ReviewRow(
                ListRow((start, "section"), content), tuple(score.turn for score in linked_turns(review, section))
            )
        span = spans.get(start)
        text = _plain(review.summary[span.start : span.end]) if span is not None else ""
        if span is None or text.strip("#*: ") in titles:
            continue
        turns = tuple(score.turn for score in linked_turns(review, span))
        if turns or not says_little(text):
            links = f" →\xa0{_turns_text(turns)}" if turns else ""
            content = _hanging((), ((text, ""), (links, "dim")), width, 2, hang=2)
            yield ReviewRow(ListRow((start, "sentence"), content), turns)


def turn_rows(review: Review, turns: Sequence[Turn], width: int) -> Iterator[ReviewRow]:
    """The replaced turns, each with the first sentence of the summary that refers to it, if there is one."""
    from memtui_core.index.compactions import linked_sentences

    first, last = review.first_turn or 0, review.last_turn or -1
    for turn in turns:
        if not first <= turn.number <= last:
            continue
        sentences = linked_sentences(review, turn.number)
        text = _plain(turn.user_text or f"({turn.kind})")
        if sentences:
            quote = _plain(review.summary[sentences[0].start : sentences[0].end])
            more = f" +{len(sentences) - 1}" if len(sentences) > 1 else ""
            below = (f"     “{cut(quote, width - 8 - len(more))}”{more}", "dim")
        else:
            below = ("     the summary does not mention it", "$text-warning")
        content = Content.assemble((f"{turn.number:>4} ", "$text-accent"), cut(text, width - 5), "\n", below)
        yield ReviewRow(ListRow(turn.number, content), (turn.number,))


def _plain(text: str) -> str:
    """A text on one line, without markup."""
    return plain_line(clean(text))


def _wrapped_path(path: str, width: int) -> str:
    """A path with a blank wherever a line of some width has to end, always after a slash."""
    lines = [""]
    for part in _PATH_PARTS.findall(path):
        if lines[-1] and cell_len(lines[-1] + part) > width:
            lines.append(part)
        else:
            lines[-1] += part
    return " ".join(lines)


def _marked(item: ReviewItem) -> str:
    """The part of a text that is marked in its turn: without markup, which the transcript does not show."""
    text = item.text
    if item.kind in {"contradiction", "check"}:
        happened = text.partition(CLAIMED)[0]
        text = _HAPPENED.sub("", happened) if _HAPPENED.search(happened) else happened.rpartition(": ")[2]
    return max(_MARKUP.split(text), key=len).strip()[:_MARKED_LENGTH]


def _turns_text(turns: Sequence[int]) -> str:
    """The numbers of turns: `turn 7`, `turns 3, 5, 7`; only the first ones of many."""
    listed = ", ".join(map(str, turns[:_MAX_TURNS]))
    return f"turn{'s' if len(turns) > 1 else ''}\xa0{listed}{', …' if len(turns) > _MAX_TURNS else ''}"


def _hanging(lead: tuple[Span, ...], text: tuple[Span, ...], width: int, indent: int = 0, hang: int = 0) -> Content:
    """A text wrapped after a lead; its other lines are indented below its first one."""
    blanks = " " * (sum(len(part) for part, _ in lead) + hang)
    lines = wrap([Row(text, first=lead, rest=((blanks, ""),))], width, indent)
    return Content("\n").join(Content.assemble(*line.spans) for line in lines)
