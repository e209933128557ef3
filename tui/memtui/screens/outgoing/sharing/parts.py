"""The parts of a session, each of which can be left out of the copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

from rich.cells import cell_len
from textual.content import Content

from memtui.keys.declarations import Key, keys
from memtui.screens.outgoing.sharing.choices import SWITCHES, ShareChoices
from memtui.widgets.row_list import ListRow, RowList
from memtui.wording.formatting import cut, number, plural
from memtui_core.export.redacted.copy import HEADING, PartPlace, SessionPart
from memtui_core.model import Turn
from memtui_core.text.controls import one_line

_SIGNS: Final = {"prompt": "●", "answer": "○", "thinking": "…", "tool call": "▸", "image": "▣"}
_KIND_OF_SWITCH: Final = {"thinking": "thinking", "tool call": "tools"}
HELP: Final = """\
## Share

A copy of the session for other people, in which what is private is replaced. At one side are its parts: `space` leaves
a part, a turn or something of all turns out, or takes it back; `enter` shows the parts of a turn. At the other side is
everything that is replaced: `enter` shows where, `space` leaves a text as it is.

`a` replaces words of yours, too; `#` goes through all turns, those from the current one on, those up to it, and the
current one. `w` writes a page, which is one HTML file, and `y` copies Markdown for an issue. Only what is listed is
written. Nothing of this is remembered when you leave.
"""


class ShareParts(RowList):
    """Marks each part: `☑` is in the copy, `☐` is left out."""

    HELP: ClassVar[str] = HELP
    BINDINGS = keys(
        "share",
        Key("space", "switch", "Leave out", "Leave it out of the copy, or take it back", "share.switch", show=True),
        Key("enter,l,right", "select", "Parts", "Show or hide the parts of the turn", "share.unfold", show=True),
        Key("h,left", "fold", "Fold", "Hide the parts of the turn", "share.fold"),
    )

    def __init__(self, changed: Callable[[ShareChoices], None]) -> None:
        """`changed` is called with new choices."""
        super().__init__(id="share-parts")
        self._changed = changed
        self._choices = ShareChoices()
        self._turns: Sequence[Turn] = ()
        self._parts: Mapping[int, Sequence[SessionPart]] = {}
        self._unfolded: set[int] = set()

    def show(self, turns: Sequence[Turn], parts: Mapping[int, Sequence[SessionPart]], choices: ShareChoices) -> None:
        """Show turns with their parts, as they are chosen."""
        self._turns, self._parts, self._choices = turns, parts, choices
        self.fill(self.chosen)

    def go_to(self, place: PartPlace) -> None:
        """Move the cursor to a part."""
        if place.turn:
            self._unfolded.add(place.turn)
            self.fill(place)

    def rows(self, width: int) -> Sequence[ListRow]:
        """What can be left out of all turns, and the turns, with the parts of those that are unfolded."""
        rows = [
            ListRow(name, _row(name not in self._choices.without, "", title, "", width, is_bold=False))
            for name, title in SWITCHES.items()
        ]
        is_headed = HEADING not in self._choices.left_out
        rows.append(ListRow(HEADING, _row(is_headed, "", "Title, project and branch", "", width)))
        digits = len(str(self._turns[-1].number)) if self._turns else 1
        for turn in self._turns:
            place, parts = PartPlace(turn.number), self._parts[turn.number]
            is_in, is_open = place not in self._choices.left_out, turn.number in self._unfolded
            head = f"{'▾' if is_open else '▸'} {turn.number:>{digits}}  "
            facts = plural(len(parts), "part")
            rows.append(ListRow(place, _row(is_in, head, _title(turn), facts, width, is_bold=True)))
            for part in parts if is_open else ():
                is_part_in = is_in and part.place not in self._choices.left_out
                is_part_in = is_part_in and _KIND_OF_SWITCH.get(part.kind) not in self._choices.without
                head = f"{' ' * (digits + 3)}{_SIGNS.get(part.kind, '·')} "
                title = part.title or part.kind
                rows.append(ListRow(part.place, _row(is_part_in, head, title, number(part.chars), width)))
        return rows

    def choose(self, index: int, *, read: bool) -> None:
        """Show or hide the parts of a turn; switch what has none."""
        if not read:
            return
        place = self.chosen
        if isinstance(place, PartPlace) and place.turn and not place.part:
            self._unfolded ^= {place.turn}
            self.fill(place)
        else:
            self.action_switch()

    def action_fold(self) -> None:
        """Hide the parts of the turn."""
        if isinstance(place := self.chosen, PartPlace):
            self._unfolded.discard(place.turn)
            self.fill(PartPlace(place.turn))

    def action_switch(self) -> None:
        """Leave out what is under the cursor, or take it back."""
        chosen = self.chosen
        if isinstance(chosen, PartPlace):
            self._changed(self._choices.with_place(chosen))
        elif isinstance(chosen, str):
            self._changed(self._choices.switched(chosen))


def _title(turn: Turn) -> str:
    return "Compaction summary" if turn.kind == "compaction" else one_line(turn.user_text[:400]) or "No prompt"


def _row(is_in: bool, head: str, title: str, right: str, width: int, *, is_bold: bool = False) -> Content:
    mark = "☑ " if is_in else "☐ "
    room = width - cell_len(mark) - cell_len(head) - cell_len(right) - 2
    shown = cut(title, max(4, room))
    gap = " " * max(1, width - cell_len(mark) - cell_len(head) - cell_len(shown) - cell_len(right))
    style = ("bold" if is_bold else "") if is_in else "dim"
    return Content.assemble((mark, "$text-accent"), (head, "dim"), (shown, style), gap, (right, "dim"))
