"""A list of rows whose cursor stays on its row while rows are added, removed and drawn again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.visual import Visual
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from memtui.keys.declarations import Key, keys
from memtui.keys.names import KeyNames
from memtui.system.complete import refuse_incomplete
from memtui.widgets.option_list import has_lines
from memtui.widgets.requests.panes import LeftAtTop
from memtui.wording.formatting import cut


@dataclass(frozen=True, slots=True)
class ListRow:
    """A row: its key, which identifies it when the list is filled again, and its content."""

    key: Hashable
    content: Content
    is_heading: bool = False
    """Whether it names the rows below it, so that the cursor goes past it."""

    @property
    def visual(self) -> Visual:
        """What is painted."""
        return self.content


class AnyRow(Protocol):
    """What a list needs of a row."""

    @property
    def key(self) -> Hashable:
        """What identifies it."""
        ...

    @property
    def content(self) -> Content:
        """What it says."""
        ...

    @property
    def is_heading(self) -> bool:
        """Whether it names the rows below it, so that the cursor goes past it."""
        ...

    @property
    def visual(self) -> Visual:
        """What is painted: the content, or something that draws it when it comes in sight."""
        ...


def title_line(title: str, right: str, width: int) -> Content:
    """The first line of a row: a title, and a short text at the right end."""
    left = cut(title, max(4, width - cell_len(right) - 1))
    gap = " " * max(1, width - cell_len(left) - cell_len(right))
    return Content.assemble((left, "bold"), gap, (right, "dim"))


class RowList(OptionList):
    """The base of all lists: subclasses have `HELP`, `rows` and `choose`, or are refused when they are defined."""

    HELP: ClassVar[str]
    """What the help says of the list, in Markdown; its heading is the title of the keys."""
    BINDINGS = keys(
        "every list",
        Key("j", "cursor_down", "Down", "Go to the next row", "list.down", moves=True),
        Key("k", "row_up", "Up", "Go to the previous row", "list.up", moves=True),
        Key("g", "first", "Top", "Go to the first row", "list.top", moves=True),
        Key("G", "last", "End", "Go to the last row", "list.bottom", moves=True),
        Key("enter,l,right", "select", "Read", "Open what the cursor is on", "list.select", show=True),
    )

    def __init_subclass__(cls, *, is_base: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not is_base:
            refuse_incomplete(cls, RowList, "HELP")

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, markup=False)
        self._keys: list[Hashable] = []
        self._lost: Hashable | None = None
        """The key of the row that the user chose and that is not listed, until the user chooses another one."""
        self._key_names = KeyNames(self, "select")
        self._filled = 0
        """The width for which the rows were drawn."""

    @abstractmethod
    def rows(self, width: int) -> Sequence[AnyRow]:
        """All rows for a width in cells."""

    @abstractmethod
    def choose(self, index: int, *, read: bool) -> None:
        """Show a row; `read` to go there, otherwise as a preview."""

    def key_name(self, action: str) -> str | None:
        """What a key does at the row with the cursor (`NamesKeys`)."""
        return None

    def watch_highlighted(self, highlighted: int | None) -> None:
        """Scroll to the row with the cursor, and name the keys by what they do there."""
        super().watch_highlighted(highlighted)
        self._key_names.update()

    @property
    def chosen(self) -> Hashable | None:
        """The key of the row with the cursor."""
        return self._keys[self.highlighted] if self.highlighted is not None else None

    def fill(self, chosen: Hashable | None = None) -> None:
        """Draw all rows, with the cursor on the row with the key `chosen`, or on the first row without one.

        That row stays on its line of the screen, if it was in sight and the list is long enough. When it is listed
        again, such as without a filter, the cursor returns to it.
        """
        if chosen is None and self._keys:
            self._lost = None
        self._fill(chosen)
        self._key_names.update()

    def _fill(self, chosen: Hashable | None) -> None:
        scrolled = self.scroll_y
        line = self._line_of(chosen) - scrolled
        with self.prevent(OptionList.OptionHighlighted):
            self._draw()
            if self.row_width != self._filled:
                # The scroll bar has come or gone.
                self._draw()
        if self._lost is not None and self._lost in self._keys:
            self.highlighted, self._lost = self._keys.index(self._lost), None
            return
        if chosen is None or chosen not in self._keys:
            self._lost = self._lost if self._lost is not None else chosen
            self.action_first()
            return
        with self.prevent(OptionList.OptionHighlighted):
            self.highlighted = self._keys.index(chosen)
        if 0 <= line < self.scrollable_content_region.height:
            scrolled = self._line_of(chosen) - line
        self.scroll_to(y=scrolled, animate=False, force=True)

    def _line_of(self, key: Hashable | None) -> int:
        """The line of the list on which a row begins; -1 for a row that is not listed."""
        return self._index_to_line.get(self._keys.index(key), -1) if key in self._keys else -1

    def _draw(self) -> None:
        self._filled = self.row_width
        rows = self.rows(self._filled)
        self._keys = [row.key for row in rows]
        self.set_options([Option(row.visual, disabled=row.is_heading) for row in rows])

    @property
    def row_width(self) -> int:
        """The width of a row in cells."""
        return max(20, self.scrollable_content_region.width - 2)

    @property
    def _top(self) -> int:
        """The index of the first row that is no heading."""
        return next((index for index, option in enumerate(self.options) if not option.disabled), 0)

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Take a new size, and draw the rows for it: Textual paints the list before it sends the resize."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        # Rows for which there was no height yet may need the scroll bar.
        self._update_lines()
        if self.highlighted is not None and self.row_width != self._filled:
            # A message from the list is to bubble further than to the screen, which gives it its size.
            with self._context():
                self.fill(self.chosen)
        return changed

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the clicked row; a double click goes there."""
        event.prevent_default()
        index = event.style.meta.get("option")
        if index is not None and not self.options[index].disabled:
            self.highlighted = index
            if event.chain == 2:
                self.action_select()

    def step(self, count: int) -> None:
        """Move the cursor by some rows; the list needs no focus."""
        if self.highlighted is not None:
            place = max(self._top, min(self.highlighted + count, self.option_count - 1))
            self.highlighted = place + (1 if count > 0 else -1) if self.options[place].disabled else place

    def read(self) -> None:
        """Go to the chosen row."""
        if self.highlighted is not None:
            self.choose(self.highlighted, read=True)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show a preview of the row."""
        event.stop()
        if event.option_index != self._top:
            self._lost = None
        if event.option_index < len(self._keys):
            self.choose(event.option_index, read=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go to the row."""
        event.stop()
        self._lost = None
        if event.option_index < len(self._keys):
            self.choose(event.option_index, read=True)

    def action_cursor_up(self) -> None:
        """Move the cursor up; from the first row go to the widget above the list."""
        self._move_up(by_letter=False)

    def action_row_up(self) -> None:
        """The same by a letter."""
        self._move_up(by_letter=True)

    def _move_up(self, *, by_letter: bool) -> None:
        if self.highlighted in {self._top, None}:
            self.post_message(LeftAtTop(by_letter))
        else:
            super().action_cursor_up()

    # As of a `ChoiceList`, on which it does not stand: classes stand on few others.

    def action_page_down(self) -> None:
        """Move the cursor down by a page."""
        if has_lines(self):
            super().action_page_down()  # type: ignore[no-untyped-call]

    def action_page_up(self) -> None:
        """Move the cursor up by a page."""
        if has_lines(self):
            super().action_page_up()  # type: ignore[no-untyped-call]
