"""What a hand-off holds, a line each: its sections with their sizes, and every tool result to switch on or off."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from memtui.formatting import cut, middle_cut, number
from memtui.widgets.row_list import Row, RowList

if TYPE_CHECKING:
    from memtui_core.handoff import Handoff

_SESSION = re.compile(r"^([0-9a-f]{8})-[0-9a-f-]{27}(?=:)")
"""A session's id before a turn: its beginning tells enough."""
Key = tuple[str, str]
"""`section` and its title, or `item` and its id."""


class HandoffItems(RowList):
    """`☑` is handed on, `☐` is switched off, `…` does not fit any more."""

    HELP: ClassVar[str] = """\
## Hand-off

What another agent gets of this session. `☑` is handed on, `☐` is switched off, `…` does not fit the room there is for
tools, which `+` and `-` change. `space` switches a result, or a whole section; `r` takes all turns, those from the one
that is read on, those up to it, or that one alone; `y` copies the text, `s` writes it to a file, `x` starts an agent
with it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "switch", "Switch", tooltip="Hand it on, or leave it out", id="handoff.switch"),
    ]

    @dataclass
    class Switched(Message):
        """Other results are left out."""

    @dataclass
    class Shown(Message):
        """The cursor is on a section, or on a result with its heading."""

        title: str
        heading: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.off: set[str] = set()
        """Ids of the results that are left out."""
        self._made: Handoff | None = None
        self._listed: list[Key] = []

    def show(self, made: Handoff) -> None:
        """Take a hand-off; what is switched off stays so."""
        self._made = made
        self.fill(self.chosen)

    def rows(self, width: int) -> Sequence[Row]:
        """A section, then its results."""
        made = self._made
        if made is None:
            return []
        from memtui_core.handoff.model import SECTION_TITLES

        sections = {section.title: section for section in made.sections(self.off)}
        kept = {id_ for section in sections.values() for id_ in section.ids}
        there = {item.title for item in made.items}
        ordered = [*(part.title for part in made.lead), *(title for title in SECTION_TITLES if title in there)]
        rows: list[Row] = []
        for title in ordered:
            size = sections[title].chars if title in sections else 0
            rows.append(Row(("section", title), _line("", title, size, width, "bold")))
            for item in made.items:
                if item.title == title:
                    mark = "☐ " if item.id in self.off else "☑ " if item.id in kept else "… "
                    style = "" if item.id in kept else "dim"
                    rows.append(Row(("item", item.id), _line(mark, item.heading, item.chars, width, style)))
        self._listed = [row.key for row in rows]  # type: ignore[misc]
        return rows

    def choose(self, index: int, *, read: bool) -> None:
        """Show it in the text."""
        if self._made is None:
            return
        kind, name = self._listed[index]
        item = next((item for item in self._made.items if kind == "item" and item.id == name), None)
        self.post_message(self.Shown(item.title if item else name, item.heading if item else ""))

    def action_switch(self) -> None:
        """Switch a result, or all of a section: off when one of them is on."""
        if self._made is None or self.highlighted is None:
            return
        kind, name = self._listed[self.highlighted]
        ids = {item.id for item in self._made.items if name == (item.title if kind == "section" else item.id)}
        if not ids:
            self.notify("The summary is always handed on.")
            return
        self.off = self.off | ids if ids - self.off else self.off - ids
        self.fill(self.chosen)
        self.post_message(self.Switched())


def _line(mark: str, text: str, size: int, width: int, style: str) -> Content:
    facts = f"{number(size):>8}" if size else " " * 8
    text = _SESSION.sub(r"\1…", text)
    said = (middle_cut if text.startswith("/") else cut)(text, max(8, width - cell_len(mark) - len(facts) - 1))
    gap = " " * max(1, width - cell_len(mark) - cell_len(said) - len(facts))
    return Content.assemble((mark, "$text-accent"), (said, style), gap, (facts, "dim"))
