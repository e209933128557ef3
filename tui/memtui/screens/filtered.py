"""A dialog with a line to type into and the rows that match it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Final, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from memtui.keys.declarations import HELP_KEY, Key, keys
from memtui.screens.dialog import Dialog, DialogBox
from memtui.system.timers import PREVIEW_PAUSE, call_after
from memtui.widgets.option_list import ChoiceList

T = TypeVar("T")
_LEAST: Final = 20
"""Cells of a row in any terminal."""
_SCROLL_BAR: Final = 2
"""Cells beside a row for the scroll bar, which comes and goes with the rows, and for a blank before it."""


class FilterLine(Input):
    """The words by which the rows are filtered."""

    BINDING_GROUP_TITLE = "This screen"
    BINDINGS = keys(
        "palette", Key("enter", "submit", "Choose", "Take the row under the cursor", "palette.take", show=True)
    )


class FoundList(ChoiceList, can_focus=False):
    """The rows; the keys go to the line above it."""


class Offer(ABC, Generic[T]):
    """What a `FilteredScreen` offers."""

    title: str
    prompt: str
    """What stands in the empty line."""
    nothing: str
    """What stands in the place of the rows where none matches."""
    max_width = Dialog.max_width
    max_height = 30
    """The largest size of the dialog in cells."""

    @abstractmethod
    def find(self, query: str) -> Sequence[T]:
        """The values that match a query, in the order of the rows; all for an empty one."""

    @abstractmethod
    def row(self, value: T, query: str, width: int) -> Content:
        """The row of a value for a width in cells."""

    def first(self, found: Sequence[T], query: str) -> int:
        """The row that gets the cursor when a query has changed."""
        return 0

    def preview(self, value: T) -> None:
        """Show the value on which the cursor rests."""


class FilteredScreen(Dialog[T | None], Generic[T]):
    """Shows what matches the words that are typed; its result is the value of the chosen row, or None."""

    DEFAULT_CSS = """
    FilteredScreen {
        FoundList { height: 1fr; margin-top: 1; }
        #none { display: none; height: 1fr; padding: 1 0; color: $text-muted; }
        &.-nothing #none { display: block; }
        &.-nothing FoundList { display: none; }
    }
    """
    BINDINGS = keys(
        "palette",
        Key("down", "list('cursor_down')", "Down", "Go to the next row", "palette.down", moves=True),
        Key("up", "list('cursor_up')", "Up", "Go to the previous row", "palette.up", moves=True),
        Key("pagedown", "list('page_down')", "Page down", "Go down a page", "palette.page-down", moves=True),
        Key("pageup", "list('page_up')", "Page up", "Go up a page", "palette.page-up", moves=True),
        Key("ctrl+home", "list('first')", "Top", "Go to the first row", "palette.top", moves=True),
        Key("ctrl+end", "list('last')", "End", "Go to the last row", "palette.bottom", moves=True),
        Key("escape", "leave", "Close", "Close without a choice", "palette.close", show=True),
        Key("f1", "app.toggle_help", "Keys", HELP_KEY.tooltip, "help", synonyms=HELP_KEY.synonyms),
    )

    def __init__(self, offer: Offer[T]) -> None:
        super().__init__()
        self.offer = offer
        self.max_width, self.max_height = offer.max_width, offer.max_height
        self._found: Sequence[T] = ()
        self._drawn = 0
        """The width for which the rows were drawn."""

    def compose(self) -> ComposeResult:
        """The line and the rows."""
        with DialogBox(self.offer.title, classes="-fills"):
            yield FilterLine(placeholder=self.offer.prompt, select_on_focus=False)
            yield Static(self.offer.nothing, id="none", markup=False)
            yield FoundList(markup=False)

    def on_mount(self) -> None:
        """Show all rows."""
        self._typed()

    def on_resize(self) -> None:
        """Draw the rows for the new width."""
        if self._row_width() != self._drawn:
            self._draw()

    def _row_width(self) -> int:
        """Cells of a row; computed, so that the rows are there when the screen is drawn first."""
        return max(_LEAST, self.text_width - _SCROLL_BAR)

    @on(Input.Changed)
    def _typed(self) -> None:
        """Show what matches."""
        query = self.query_one(Input).value.strip()
        self._found = self.offer.find(query)
        self.set_class(not self._found, "-nothing")
        self._draw()
        if self._found:
            rows = self.query_one(FoundList)
            rows.highlighted = self.offer.first(self._found, query)

    def _draw(self) -> None:
        rows, query = self.query_one(FoundList), self.query_one(Input).value.strip()
        highlighted, self._drawn = rows.highlighted, self._row_width()
        with self.prevent(OptionList.OptionHighlighted):
            rows.set_options([Option(self.offer.row(value, query, self._drawn)) for value in self._found])
            if highlighted is not None and highlighted < len(self._found):
                rows.highlighted = highlighted

    @property
    def highlighted(self) -> T | None:
        """The value under the cursor; None if nothing matches."""
        index = self.query_one(FoundList).highlighted
        return self._found[index] if index is not None and index < len(self._found) else None

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        call_after(self, PREVIEW_PAUSE, partial(self._preview, self.highlighted))

    def _preview(self, value: T | None) -> None:
        """Show the value that the cursor came to, if it is still there."""
        if self.is_current and value is not None and value == self.highlighted:
            self.offer.preview(value)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        """End with the value under the cursor."""
        if self.highlighted is not None:
            self.dismiss(self.highlighted)

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._found[event.option_index])

    def action_list(self, name: str) -> None:
        """Move the cursor."""
        getattr(self.query_one(FoundList), f"action_{name}")()
