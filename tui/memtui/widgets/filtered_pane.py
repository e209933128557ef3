"""A pane with a filter bar above one or more lists."""

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
    """The text by which the lists are filtered; `/` in the empty bar goes to the search bar."""

    class SearchRequested(Message):
        """Go to the search bar."""

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "slash" and not self.value:
            event.stop()
            event.prevent_default()
            self.post_message(self.SearchRequested())
        else:
            await super()._on_key(event)


class FilteredPane(Vertical):
    """A filter bar and lists; `enter` in the bar goes to the first list, up in the first row to the widget above."""

    @dataclass
    class Filtered(Message):
        """The filter has changed: list the matching rows."""

        pane: FilteredPane

        @property
        def control(self) -> FilteredPane:
            """The pane."""
            return self.pane

    def __init__(self, *lists: RowList, placeholder: str) -> None:
        super().__init__()
        self.lists = lists
        self._placeholder = placeholder
        self._last_list = lists[0]

    def compose(self) -> ComposeResult:
        """The filter bar and the lists."""
        bar = FilterBar(placeholder=self._placeholder, classes="filter", select_on_focus=False)
        bar.border_title = "filter"
        yield bar
        yield from self.lists

    @property
    def last_list(self) -> RowList:
        """The list that had the focus last; the first list after the filter bar had it."""
        return self._last_list

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Keep the list that gets the focus."""
        self._last_list = event.widget if isinstance(event.widget, RowList) else self.lists[0]

    @property
    def bar(self) -> Input:
        """The filter bar."""
        return self.query_one(Input)

    @property
    def pattern(self) -> str:
        """The text in the filter bar."""
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
        index = self.lists.index(message.rows)
        above: Widget = self.lists[index - 1] if index else self.bar
        above.focus()

    def step_back(self) -> bool:
        """Clear the filter, or go to the list if it is empty; False if the filter bar does not have the focus."""
        if not self.bar.has_focus:
            return False
        if self.bar.value:
            self.bar.value = ""
        else:
            self.last_list.focus()
        return True
