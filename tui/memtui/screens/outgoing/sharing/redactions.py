"""What is replaced in a redacted copy: equal texts share a row, which unfolds to their places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from rich.cells import cell_len
from textual.content import Content

from memtui.keys.declarations import Key, keys
from memtui.render.clean import clean
from memtui.screens.outgoing.sharing.choices import ShareChoices
from memtui.screens.outgoing.sharing.parts import HELP
from memtui.widgets.row_list import ListRow, RowList
from memtui.wording.formatting import cut, number
from memtui_core.export.redacted.copy import PartPlace, RedactedCopy, Redaction

_Group = tuple[str, str]
"""The kind and the text."""
_MOST_PLACES: Final = 400
"""Places of one text that are listed."""
_KIND_WIDTH: Final = 8


class RedactionList(RowList):
    """The texts that are replaced, those of a kind together, and those that the user has kept."""

    HELP: ClassVar[str] = HELP
    BINDINGS = keys(
        "share",
        Key("space", "switch", "Keep", "Leave the text as it is, or replace it again", "share.keep", show=True),
        Key("enter,l,right", "select", "Places", "Show or hide where it is, or go to the part", "share.places",
            show=True),
        Key("h,left", "fold", "Fold", "Hide where it is", "share.fold-places"),
    )  # fmt: skip

    def __init__(self, changed: Callable[[ShareChoices], None], go_to: Callable[[PartPlace], None]) -> None:
        """`changed` is called with new choices, `go_to` with the place that was chosen."""
        super().__init__(id="share-redactions")
        self._changed, self._go_to = changed, go_to
        self._choices = ShareChoices()
        self._groups: dict[_Group, list[Redaction]] = {}
        self._unfolded: set[_Group] = set()

    def show(self, copy: RedactedCopy, choices: ShareChoices) -> None:
        """Show what a copy has replaced."""
        groups: dict[_Group, list[Redaction]] = {}
        for redaction in sorted(copy.redactions, key=lambda one: one.kind):
            groups.setdefault((redaction.kind, redaction.text), []).append(redaction)
        self._groups, self._choices = groups, choices
        self.fill(self.chosen)

    def rows(self, width: int) -> Sequence[ListRow]:
        """A row for each text, with its places if it is unfolded; at the end the texts that are kept."""
        rows: list[ListRow] = []
        digits = len(number(max(map(len, self._groups.values()), default=1)))
        for group, found in self._groups.items():
            rows.append(ListRow(group, _group_row(found, digits, width)))
            for at, redaction in enumerate(found[:_MOST_PLACES] if group in self._unfolded else ()):
                rows.append(ListRow((group, at), _place_row(redaction, width)))
        for text in sorted(self._choices.kept):
            line = cut(clean(text), width - 9)
            rows.append(ListRow(("kept", text), Content.assemble(("☐ ", "$text-accent"), line, ("  stays", "dim"))))
        if not rows:
            nothing = Content.styled(cut("Nothing private was found. a: words of yours.", width), "dim")
            return [ListRow("nothing", nothing, is_heading=True)]
        return rows

    def choose(self, index: int, *, read: bool) -> None:
        """Show or hide the places of a text, or go to one of them."""
        if not read:
            return
        key = self.chosen
        if key in self._groups:
            self._unfolded ^= {key}
            self.fill(key)
        elif isinstance(key, tuple) and key[0] in self._groups:
            self._go_to(self._groups[key[0]][key[1]].place)

    def action_fold(self) -> None:
        """Hide the places of the text."""
        if (group := self._group) is not None:
            self._unfolded.discard(group)
            self.fill(group)

    def action_switch(self) -> None:
        """Keep the text under the cursor, or replace it again."""
        key = self.chosen
        if isinstance(key, tuple) and key[0] == "kept":
            self._changed(self._choices.with_kept(str(key[1])))
        elif (group := self._group) is not None:
            if group[0] == "word":
                self.notify("That is a word of yours: a changes them.")
            else:
                self._changed(self._choices.with_kept(group[1]))

    @property
    def _group(self) -> _Group | None:
        """The text under the cursor, also if that is on one of its places."""
        key = self.chosen
        for group in self._groups:
            if key == group or (isinstance(key, tuple) and key[0] == group):
                return group
        return None


def _group_row(found: Sequence[Redaction], digits: int, width: int) -> Content:
    first = found[0]
    count = f"{number(len(found)):>{digits}}× "
    kind = f"{first.kind:<{_KIND_WIDTH}}"
    end = f" → {first.replacement}"
    room = max(8, width - 2 - cell_len(count) - len(kind) - cell_len(end))
    text = cut(clean(first.shown), room)
    return Content.assemble(
        ("☑ ", "$text-accent"), (count, "dim"), (kind, "dim"), (text, "bold"), (" → ", "dim"), (first.replacement, "")
    )


def _place_row(redaction: Redaction, width: int) -> Content:
    head = f"    {redaction.place!s:<7} {redaction.part:<12} "
    room = max(10, width - len(head) - cell_len(redaction.replacement))
    before = " ".join(clean(redaction.before).split(" "))
    before = before if cell_len(before) <= room // 2 else f"…{before[-(room // 2 - 1) :]}"
    after = cut(clean(redaction.after), max(1, room - cell_len(before)))
    return Content.assemble((head, "dim"), before, (redaction.replacement, "$text-accent"), after)
