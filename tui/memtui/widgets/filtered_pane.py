"""A pane with a filter above its lists."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from memtui.widgets.row_list import RowList


class FilterBar(Input):
    """A `/` in the empty bar goes on to the search of everything."""

    class SearchRequested(Message):
        """Go to the search of everything."""

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "slash" and not self.value:
            event.stop()
            event.prevent_default()
            self.post_message(self.SearchRequested())
        else:
            await super()._on_key(event)


class FilteredPane(Vertical):
    """`enter` in the filter goes to the first list, up from the first row of a list to what stands above it.

    `/` in the empty filter leaves it for the search bar.
    """

    @dataclass
    class Filtered(Message):
        """The filter has changed: list the rows that it leaves."""

        pane: FilteredPane

        @property
        def control(self) -> FilteredPane:
            """The pane."""
            return self.pane

    def __init__(self, *lists: RowList, placeholder: str) -> None:
        super().__init__()
        self.lists = lists
        self._placeholder = placeholder
        self._entered = lists[0]

    def compose(self) -> ComposeResult:
        """The filter and the lists."""
        bar = FilterBar(placeholder=self._placeholder, classes="filter", select_on_focus=False)
        bar.border_title = "filter"
        yield bar
        yield from self.lists

    @property
    def entered(self) -> RowList:
        """The list that one comes back to."""
        return self._entered

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Remember where one is."""
        self._entered = event.widget if isinstance(event.widget, RowList) else self.lists[0]

    @property
    def bar(self) -> Input:
        """The filter."""
        return self.query_one(Input)

    @property
    def pattern(self) -> str:
        """What the rows are filtered by."""
        return self.bar.value

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Filtered(self))

    @on(Input.Submitted)
    def _to_list(self, event: Input.Submitted) -> None:
        event.stop()
        self.lists[0].focus()

    @on(RowList.LeftAtTop)
    def _up(self, message: RowList.LeftAtTop) -> None:
        message.stop()
        place = self.lists.index(message.rows)
        above: Widget = self.lists[place - 1] if place else self.bar
        above.focus()

    def step_back(self) -> bool:
        """Clear the filter, then leave it for the list; False when the focus is not in it."""
        if not self.bar.has_focus:
            return False
        if self.bar.value:
            self.bar.value = ""
        else:
            self.entered.focus()
        return True
