"""The picker with the saved and the recent searches, under the empty search bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen

from memtui.app_state import AppState
from memtui.widgets.row_list import ListRow, RowList

_HINTS = "enter search · ctrl+s save · del remove · esc"


class SearchList(RowList):
    """The saved searches first, with a star, then the recent ones."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", tooltip="Save the search, or undo that", id="searches.save"),
        Binding("delete", "forget", "Remove", tooltip="Remove the search from the list", id="searches.forget"),
    ]

    class Picked(Message):
        """A query was picked."""

        def __init__(self, query: str) -> None:
            super().__init__()
            self.query = query

    class Emptied(Message):
        """The last query was removed."""

    def __init__(self, state: AppState, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state = state
        self._queries: list[str] = []

    def on_mount(self) -> None:
        """List the searches."""
        self.fill()

    def rows(self, width: int) -> Sequence[ListRow]:
        """One line for each query."""
        saved = {query: name for name, query in self._state.saved.items()}
        self._queries = list(dict.fromkeys((*saved, *self._state.searches)))
        return [ListRow(query, _search_line(query, saved.get(query))) for query in self._queries]

    def choose(self, index: int, *, read: bool) -> None:
        """Pick the query; there is no preview."""
        if read:
            self.post_message(self.Picked(self._queries[index]))

    def action_save(self) -> None:
        """Save the query, or remove it from the saved searches; the cursor stays on it."""
        if self.highlighted is not None:
            query = self._queries[self.highlighted]
            self._state.toggle(query)
            self._refill(query)

    def action_forget(self) -> None:
        """Remove the query from the list; the cursor goes to the query below."""
        if self.highlighted is not None:
            index = self.highlighted
            self._state.forget(self._queries[index])
            remaining = [*self._queries[:index], *self._queries[index + 1 :]]
            self._refill(remaining[min(index, len(remaining) - 1)] if remaining else "")

    def _refill(self, query: str) -> None:
        self.fill(query)
        if not self._queries:
            self.post_message(self.Emptied())


class SearchPicker(ModalScreen[str | None]):
    """Shows the searches; its result is the picked query, or None."""

    DEFAULT_CSS = """
    SearchPicker {
        background: transparent;
        SearchList {
            margin-top: 4; width: 100%; max-width: 80; height: auto; max-height: 60%; padding: 0;
            background: $surface; border-title-color: $accent; border-subtitle-color: $text-muted;
            scrollbar-size-vertical: 1; text-wrap: nowrap; text-overflow: ellipsis;
            &, &:focus { border: round $accent; }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close", tooltip="Go back to the search bar", id="searches.close"),
    ]

    def __init__(self, state: AppState) -> None:
        super().__init__()
        self._state = state

    def compose(self) -> ComposeResult:
        """The list."""
        searches = SearchList(self._state, id="searches")
        searches.border_title = "searches"
        searches.border_subtitle = _HINTS
        yield searches

    @on(SearchList.Picked)
    def _picked(self, message: SearchList.Picked) -> None:
        self.dismiss(message.query)

    @on(SearchList.Emptied)
    @on(RowList.LeftAtTop)
    def _close(self) -> None:
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        """Close the picker on a click beside the list."""
        if event.widget is self:
            self.dismiss(None)


def _search_line(query: str, name: str | None) -> Content:
    mark = ("★ ", "$text-accent") if name is not None else ("  ", "")
    title = (f"{name}  ", "bold") if name not in (None, query) else ""
    return Content.assemble(mark, title, query)
