"""The sections of a hand-off with their tool results, which can be switched off."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.content import Content

from memtui.keys.declarations import Key, keys
from memtui.widgets.row_list import ListRow, RowList
from memtui.wording.formatting import cut, fitted, number
from memtui.wording.path_text import middle_cut

if TYPE_CHECKING:
    from memtui_core.index.handoffs import Handoff, HandoffItem

_SESSION = re.compile(r"^([0-9a-f]{8})-[0-9a-f-]{27}(?=:)")
"""The id of a session before the number of a turn; the list shows only its first part."""
_OF_FILES = frozenset({"Files Read", "Files Changed"})
_MIN_LABEL = 5
"""The fewest cells of labels, with the blank before them."""
HandoffKey = tuple[str, str]
"""`section` and its title, or `item` and its id."""


class HandoffItems(RowList):
    """Marks each tool result: `☑` is included, `☐` is switched off, `…` does not fit."""

    HELP: ClassVar[str] = """\
## Hand-off

What another agent gets from this session. `☑` is included, `☐` is switched off, `…` does not fit into the room for tool
results, which `>` and `<` change. `space` switches a result or a whole section on or off; `#` goes through all turns,
the turns from the current one, those up to it, and the current one alone; `y` copies the text, `w` writes it to a file,
`enter` chooses an agent to start with it.
"""
    BINDINGS = keys(
        "hand-off",
        Key("space", "switch", "Switch", "Include it, or leave it out", "handoff.switch", show=True),
        Key("l,right", "screen.other", "Text", "Go to the text", "handoff.text"),
    )

    def __init__(self, switched: Callable[[], None], go_to: Callable[[str, str], None]) -> None:
        """`switched` is called when the selection of results has changed.

        `go_to` is called with the section under the cursor and the id of the result, which is empty for a section.
        """
        super().__init__(id="handoff-items")
        self._call_switched = switched
        self._go_to = go_to
        self.off: set[str] = set()
        """Ids of the results that are switched off."""
        self._handoff: Handoff | None = None
        self._row_keys: list[HandoffKey] = []

    def show(self, handoff: Handoff) -> None:
        """Show a hand-off; results that are switched off stay so."""
        self._handoff = handoff
        self.fill(self.chosen)

    def rows(self, width: int) -> Sequence[ListRow]:
        """Each section, followed by its results."""
        handoff = self._handoff
        if handoff is None:
            return []
        from memtui_core.index.handoffs import SECTION_TITLES

        sections = {section.title: section for section in handoff.sections(self.off)}
        included = {id_ for section in sections.values() for id_ in section.ids}
        item_titles = {item.title for item in handoff.items}
        titles = [
            *(section.title for section in handoff.lead),
            *(title for title in SECTION_TITLES if title in item_titles),
        ]
        rows: list[ListRow] = []
        for title in titles:
            size = sections[title].chars if title in sections else 0
            rows.append(ListRow(("section", title), _section(title, size, width)))
            for item in handoff.items:
                if item.title == title:
                    mark = "☐ " if item.id in self.off else "☑ " if item.id in included else "… "
                    style = "" if item.id in included else "dim"
                    rows.append(ListRow(("item", item.id), _item(mark, item, width, style)))
        self._row_keys = [row.key for row in rows]  # type: ignore[misc]
        return rows

    def choose(self, index: int, *, read: bool) -> None:
        """Go to the section, or to a result, in the text."""
        if self._handoff is None:
            return
        kind, name = self._row_keys[index]
        item = next((item for item in self._handoff.items if kind == "item" and item.id == name), None)
        self._go_to(item.title if item else name, item.id if item else "")

    def action_switch(self) -> None:
        """Switch a result or all results of a section: off if one of them is on, otherwise on."""
        if self._handoff is None or self.highlighted is None:
            return
        kind, name = self._row_keys[self.highlighted]
        ids = {item.id for item in self._handoff.items if name == (item.title if kind == "section" else item.id)}
        if not ids:
            self.notify("The summary is always included.")
            return
        self.off = self.off | ids if ids - self.off else self.off - ids
        self.fill(self.chosen)
        self._call_switched()


def _section(title: str, size: int, width: int) -> Content:
    size_text = _size(size)
    return Content.assemble((fitted(title, width - len(size_text)), "bold"), (size_text, "dim"))


def _item(mark: str, item: HandoffItem, width: int, style: str) -> Content:
    """A row that never cuts the name of a file: before that, the labels are."""
    size_text = _size(item.chars)
    room = max(8, width - len(mark) - len(size_text) - 1)
    labels = " · ".join(item.labels)
    name = _SESSION.sub(r"\1…", item.name)
    is_path = item.title in _OF_FILES and " " not in name
    shortest = cell_len(name.rpartition("/")[2]) + len("…/") if is_path else room // 2
    name = (middle_cut if is_path else cut)(
        name, min(room, max(room - cell_len(labels) - 1, shortest)) if labels else room
    )
    labels = cut(f" {labels}", room - cell_len(name)) if labels and room - cell_len(name) >= _MIN_LABEL else ""
    gap = " " * (width - len(mark) - cell_len(name) - cell_len(labels) - len(size_text))
    return Content.assemble((mark, "$text-accent"), (name, style), (labels, "dim"), gap, (size_text, "dim"))


def _size(size: int) -> str:
    return f"{number(size):>8}" if size else " " * 8
