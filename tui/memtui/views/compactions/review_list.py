"""The lists of a review, one of which is shown; the turn of the chosen row stands beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from textual.content import Content
from textual.reactive import var

from memtui.keys.declarations import Key, keys
from memtui.views.compactions.review_rows import (
    Fold,
    ReviewRow,
    RowSigns,
    afterwards_rows,
    kept_rows,
    lost_rows,
    sentence_rows,
    turn_rows,
)
from memtui.widgets.requests.panes import TargetChosen
from memtui.widgets.requests.target import Target
from memtui.widgets.row_list import ListRow, RowList
from memtui_core.model import Turn

if TYPE_CHECKING:
    from memtui_core.index.compactions import Review, ReviewItem

ReviewTab = Literal["lost", "kept", "afterwards", "summary", "turns"]
TABS: tuple[ReviewTab, ...] = ("lost", "kept", "afterwards", "summary", "turns")
RowAct = Literal["copy", "send", "know", "undo"]
"""What the user does with a row: copy it as a prompt, send it to the agent, mark it as known, or take that back."""
Act = Callable[[RowAct, "Review", "Sequence[ReviewItem]"], None]
"""Does something with items; with none, what was done last is taken back."""
_EMPTY: dict[ReviewTab, str] = {
    "lost": "Nothing is missing: the summary has everything that was found.",
    "kept": "The summary has nothing of what was found.",
    "afterwards": "Nothing that was lost came up again, and no file of these turns was read again.",
    "summary": "The summary is empty.",
    "turns": "The session begins with this summary: what it replaced is not in it.",
}
_ALL_KNOWN = "Nothing else is missing: you know the rest."


class ReviewList(RowList):
    """The list of a tab; the row of the details can be unfolded."""

    HELP: ClassVar[str] = """\
## Review of a compaction

What the summary lacks of everything that was said before it and what matters for the open work: checks that failed, are
older than the last edits or speak against the summary, what you said, requirements of plans and tasks, what nobody
verified or answered, findings, rejected options. A sentence counts as kept if the summary has its words or says the
same in others. *Already lost at the 1st compaction* says that its summary lacks it, too. What may matter less,
and files, commands, errors, links and names, stand in rows of their own, which `space` unfolds.

`y` copies a row as a prompt; `b` briefs the agent: it gets the row with its next call, and in a hand-off, and the row
then says whether the agent has it; `x` marks it as known, so that it is never listed again, and `u` takes that back.
`space` marks rows, so that these keys act on all of them. `h` and `l` go through what is not in the
summary, what is kept, what came up again afterwards, the summary with the turns of each sentence, and the turns with
their sentences in the summary. `enter` reads the turn, `n` and `N` show the next and the previous turn of a row.
"""
    BINDINGS = keys(
        "review of a compaction",
        Key("l,right", "tab(1)", "Next tab", "Go to the next tab", "review.next", show=True),
        Key("h,left", "tab(-1)", "Previous tab", "Go to the previous tab", "review.last"),
        Key("n", "turn(1)", "Next turn of it", "Show the next turn of the item", "review.turn", show=True),
        Key("N", "turn(-1)", "Previous turn of it", "Show the previous turn of the item", "review.previous-turn"),
        Key("y", "act('copy')", "Copy", "Copy the row, or all marked ones, as a prompt", "review.copy"),
        Key("b", "act('send')", "Brief agent", "Send the row, or all marked ones, to the agent", "review.send",
            show=True),
        Key("x", "act('know')", "Known", "Never list the row, or all marked ones, again", "review.known", show=True),
        Key("u", "act('undo')", "Undo", "List the last known row again", "review.undo"),
        Key("space", "mark", "Mark", "Mark the row for these keys; unfold the rest, or fold it", "review.fold"),
    )  # fmt: skip

    tab: var[ReviewTab] = var[ReviewTab]("lost", init=False)
    """The tab whose list is shown; the pane binds it."""

    def __init__(
        self, act: Act, tell_turn: Callable[[int, tuple[int, ...]], None], choose_tab: Callable[[str], None]
    ) -> None:
        """`tell_turn` is called with the index of the shown turn and all turns of the row."""
        super().__init__(id="review")
        self._act = act
        self._tell_turn = tell_turn
        self._choose_tab = choose_tab
        self.review: Review | None = None
        self._turns: Sequence[Turn] = ()
        self._rows: list[ReviewRow] = []
        self._step = 0
        """Index of the shown turn among the turns of the row."""
        self._turned: set[tuple[ReviewTab, Fold]] = set()
        """The parts that were folded or unfolded, with their tabs."""
        self._marked: dict[ReviewItem, None] = {}
        """The items that are marked, in the order in which they were."""
        self._sent: Mapping[ReviewItem, bool] = {}

    def show(self, review: Review, turns: Sequence[Turn], sent: Mapping[ReviewItem, bool]) -> None:
        """Show a review; `turns` are all turns of its session, without blocks; `sent` as `RowSigns.sent`."""
        is_same = self.is_of(review)
        self.review, self._turns, self._sent = review, turns, sent
        self._marked.clear()
        if not is_same:
            self._turned.clear()
        self.fill(self.chosen if is_same else None)

    def is_of(self, review: Review) -> bool:
        """Whether it shows a review of the same compaction."""
        return self.review is not None and (self.review.session, self.review.turn) == (review.session, review.turn)

    def watch_tab(self) -> None:
        """Show the list of the tab."""
        self.fill()

    def rows(self, width: int) -> Sequence[ListRow]:
        """The list of the tab."""
        review, tab = self.review, self.tab
        if review is None:
            return []
        turned = [fold for of_tab, fold in self._turned if of_tab == tab]
        signs = RowSigns(self._marked, self._sent)
        if tab == "summary":
            rows = list(sentence_rows(review, width))
        elif tab == "turns":
            rows = list(turn_rows(review, self._turns, width))
        elif tab == "afterwards":
            rows = list(afterwards_rows(review, width, signs))
        elif tab == "kept":
            rows = list(kept_rows(review, width, turned))
        else:
            rows = list(lost_rows(review, width, turned, signs))
        empty = _ALL_KNOWN if tab == "lost" and review.known else _EMPTY[tab]
        self._rows = rows or [ReviewRow(ListRow("nothing", Content.styled(empty, "$text-muted")))]
        return [row.row for row in self._rows]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the best turn of the row, or unfold it."""
        self._step = 0
        if read and self._rows[index].folds:
            self.action_fold()
        else:
            self._show_turn(index, read=read)

    def key_name(self, action: str) -> str | None:
        """A part is unfolded or folded; a row without turns leads nowhere, and after one turn comes no other."""
        cursor = self.highlighted
        if cursor is None or cursor >= len(self._rows):
            return None
        row = self._rows[cursor]
        if action == "select" and row.folds:
            return "Fold" if cursor + 1 < len(self._rows) and self._rows[cursor + 1].is_folded_below else "Unfold"
        least = {"select": 1, "turn(1)": 2}.get(action, 0)
        return None if len(row.turns) >= least else ""

    def _show_turn(self, index: int, *, read: bool) -> None:
        row = self._rows[index]
        self._tell_turn(self._step % max(1, len(row.turns)), row.turns)
        if self.review is not None and row.turns:
            turn = row.turns[self._step % len(row.turns)]
            target = Target(row.session or self.review.session, turn, row.words)
            self.post_message(TargetChosen(target, read))

    def action_turn(self, direction: int) -> None:
        """Show the next turn of the row (1) or the previous one (-1); the first follows the last."""
        if self.highlighted is not None:
            self._step += direction
            self._show_turn(self.highlighted, read=False)

    def action_fold(self) -> None:
        """Unfold the row with the cursor, or fold it again; in an unfolded row's list, fold that."""
        if self.highlighted is None:
            return
        index = self.highlighted
        while index and self._rows[index].is_folded_below:
            index -= 1
        if fold := self._rows[index].folds:
            self._turned ^= {(self.tab, fold)}
            self.fill(self._rows[index].row.key)

    def action_mark(self) -> None:
        """Mark the item of the row with the cursor, or take the mark away; a row of a part is unfolded or folded."""
        item = self._item
        if item is None:
            self.action_fold()
        else:
            if item in self._marked:
                del self._marked[item]
            else:
                self._marked[item] = None
            self.fill(self.chosen)

    def action_act(self, act: RowAct) -> None:
        """Do something with the marked items, or with that of the row with the cursor."""
        items = list(self._marked) or ([self._item] if self._item is not None else [])
        if self.review is not None and (act == "undo" or items):
            self._act(act, self.review, [] if act == "undo" else items)

    @property
    def _item(self) -> ReviewItem | None:
        """The item of the row with the cursor, if the summary lacks it."""
        is_lost = self.tab in {"lost", "afterwards"} and self.highlighted is not None
        return self._rows[self.highlighted or 0].item if is_lost else None

    def action_tab(self, direction: int) -> None:
        """Go to the next tab (1) or the previous one (-1); the first follows the last."""
        self._choose_tab(TABS[(TABS.index(self.tab) + direction) % len(TABS)])
