"""The least Textual apps: what any app pays that does the like. Run as a script with a name and a number of rows."""

from __future__ import annotations

import sys
from typing import ClassVar

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Input, OptionList, Static, Tree

READY = "row 0 of"
"""What each of them paints first."""
SWAPPED = "other row 0 of"
"""What `Swap` paints after a key."""
ROWS = 30
"""Rows of the list that `Filter` fills anew with each letter."""


def text(number: int) -> str:
    """A row as long as those of the app."""
    return f"row {number} of a list that is {'quite as wide as the screen ' * 4}"


class Bare(App[None]):
    """An app with nothing in it."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count


class Lines(ScrollView, can_focus=True):
    """Lines that scroll."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "line(1)"),
        Binding("k", "line(-1)"),
        Binding("pagedown", "page"),
        Binding("g", "top"),
    ]

    def __init__(self, count: int) -> None:
        super().__init__()
        self.virtual_size = Size(100, count)

    def action_line(self, count: int) -> None:
        """Scroll by lines."""
        self.scroll_to(y=self.scroll_target_y + count, animate=False)

    def action_page(self) -> None:
        """Scroll by a page."""
        self.action_line(self.size.height - 1)

    def action_top(self) -> None:
        """To the first line."""
        self.scroll_to(y=0, animate=False)

    def render_line(self, y: int) -> Strip:
        """One line."""
        return Strip([Segment(text(round(self.scroll_y) + y))]).crop(0, self.size.width)


class Scroll(Bare):
    """Lines that scroll, on the whole screen."""

    def compose(self) -> ComposeResult:
        """One widget."""
        yield Lines(self.count)


class Rows(Tree[None]):
    """A tree with the keys of the app's."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down"),
        Binding("k", "cursor_up"),
        Binding("g", "to(0)"),
        Binding("G", "to(1)"),
    ]

    def action_to(self, last: int) -> None:
        """To the first row, or to the last."""
        self.cursor_line = self.last_line if last else 0


class Leaves(Bare):
    """A tree of leaves below one node, as sessions stand below their project."""

    def compose(self) -> ComposeResult:
        """One widget."""
        tree = Rows("root")
        for number in range(self.count):
            tree.root.add_leaf(text(number))
        tree.root.expand()
        yield tree

    def on_mount(self) -> None:
        """Start at the first leaf: a move onto the node above would paint all leaves anew."""
        tree = self.query_one(Rows)
        tree.focus()
        self.call_after_refresh(setattr, tree, "cursor_line", 1)


class Swap(Bare):
    """A screen full of text, another at each key."""

    other = False

    def compose(self) -> ComposeResult:
        """One widget."""
        yield Static("\n".join(map(text, range(self.count))), markup=False)

    def key_enter(self) -> None:
        """The other text."""
        self.other = not self.other
        lead = "other " if self.other else ""
        self.query_one(Static).update("\n".join(lead + text(number) for number in range(self.count)))


class Filter(Bare):
    """A line to type in, and a list that is filled anew with each letter."""

    def compose(self) -> ComposeResult:
        """Two widgets."""
        yield Input()
        yield OptionList(*map(text, range(ROWS)), markup=False)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Other rows."""
        rows = [f"{event.value} in {text(number)}" for number in range(ROWS)]
        self.query_one(OptionList).set_options(rows)


APPS: dict[str, type[Bare]] = {"scroll": Scroll, "tree": Leaves, "swap": Swap, "filter": Filter}

if __name__ == "__main__":
    APPS[sys.argv[1]](int(sys.argv[2])).run()
