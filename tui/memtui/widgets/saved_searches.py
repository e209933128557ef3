"""The saved searches and the last ones, to choose from, right under the empty search bar."""

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
from memtui.widgets.row_list import Row, RowList

_HINTS = "enter search · ctrl+s save · del forget · esc"


class SearchList(RowList):
    """The saved ones first, with a star."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", tooltip="Save the search, or save it no longer", id="searches.save"),
        Binding("delete", "forget", "Forget", tooltip="Remember the search no longer", id="searches.forget"),
    ]

    class Picked(Message):
        """A query was chosen."""

        def __init__(self, query: str) -> None:
            super().__init__()
            self.query = query

    class Emptied(Message):
        """No query is left."""

    def __init__(self, remembered: AppState, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._remembered = remembered
        self._listed: list[str] = []

    def on_mount(self) -> None:
        """List them."""
        self.fill()

    def rows(self, width: int) -> Sequence[Row]:
        """One line a query."""
        saved = {query: name for name, query in self._remembered.saved.items()}
        self._listed = list(dict.fromkeys((*saved, *self._remembered.searches)))
        return [Row(query, _line(query, saved.get(query))) for query in self._listed]

    def choose(self, index: int, *, read: bool) -> None:
        """Nothing is previewed."""
        if read:
            self.post_message(self.Picked(self._listed[index]))

    def action_save(self) -> None:
        """Save the query, or save it no longer; the cursor stays on it."""
        if self.highlighted is not None:
            query = self._listed[self.highlighted]
            self._remembered.toggle(query)
            self._fill_again(query)

    def action_forget(self) -> None:
        """Remember the query no longer; the cursor goes to the one below."""
        if self.highlighted is not None:
            at = self.highlighted
            self._remembered.forget(self._listed[at])
            left = [*self._listed[:at], *self._listed[at + 1 :]]
            self._fill_again(left[min(at, len(left) - 1)] if left else "")

    def _fill_again(self, query: str) -> None:
        self.fill(query)
        if not self._listed:
            self.post_message(self.Emptied())


class SearchPicker(ModalScreen[str | None]):
    """Ends with the query that was chosen, or with None."""

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
        Binding("escape", "dismiss(None)", "Close", tooltip="Back to the search bar", id="searches.close"),
    ]

    def __init__(self, remembered: AppState) -> None:
        super().__init__()
        self._remembered = remembered

    def compose(self) -> ComposeResult:
        """The list alone."""
        listed = SearchList(self._remembered, id="searches")
        listed.border_title = "searches"
        listed.border_subtitle = _HINTS
        yield listed

    @on(SearchList.Picked)
    def _picked(self, message: SearchList.Picked) -> None:
        self.dismiss(message.query)

    @on(SearchList.Emptied)
    @on(RowList.LeftAtTop)
    def _left(self) -> None:
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        """A click beside the list closes it."""
        if event.widget is self:
            self.dismiss(None)


def _line(query: str, name: str | None) -> Content:
    mark = ("★ ", "$text-accent") if name is not None else ("  ", "")
    title = (f"{name}  ", "bold") if name not in (None, query) else ""
    return Content.assemble(mark, title, query)
