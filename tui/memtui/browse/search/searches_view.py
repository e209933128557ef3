"""The view of the empty search: the saved and the recent searches, and examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from memtui.keys.declarations import Key, keys
from memtui.services.app_services import AppServices
from memtui.settings.app_state import AppState
from memtui.views.base import View
from memtui.widgets.requests.pane_widths import Share
from memtui.widgets.row_list import ListRow, RowList
from memtui.wording.formatting import cut
from memtui_core.model import Example

_HINTS: Final = "ctrl+s save · del remove"
SYNTAX: Final[dict[str, str]] = {
    "some words": "what contains them, or means the same",
    '"an exact phrase"': "these words in this order",
    "file:ci.yml": "turns that touched a file",
    "has:error after:3d": "errors of the last 3 days",
    "is:compaction": "the summaries of compactions",
    "is:subagent": "what subagents did",
}
"""What can be searched, and what each finds, for a history of which no examples can be made."""
_FEWEST: Final = 3
"""Examples of a history that are worth more than the syntax."""


class SearchList(RowList):
    """The saved searches first, with a star, then the recent ones, then examples."""

    HELP: ClassVar[str] = """\
## Searches

The saved searches `★`, then the recent ones: queries whose hits you opened. `enter` searches again, `ctrl+s` saves a
search or undoes that, `del` removes it. Examples follow, made of your own history where there is enough of it. `↑` in
the first row goes back to the search line.
"""
    BINDINGS = keys(
        "searches",
        Key("ctrl+s", "save", "Save", "Save the search, or undo that", "searches.save", show=True),
        Key("delete", "forget", "Remove", "Remove the search from the list", "searches.forget", show=True),
    )

    @dataclass
    class Picked(Message):
        """Search for a query."""

        query: str

    class Changed(Message):
        """A search was saved or removed."""

    def __init__(self, state: AppState) -> None:
        super().__init__(id="searches")
        self._state = state
        self._queries: list[str] = []
        self._search_count = 0
        """How many of them are searches; examples follow."""
        self._examples: Mapping[str, str] = {}
        """Queries with what each finds; none until they are read."""

    @property
    def _has_searches(self) -> bool:
        return bool(self._state.queries)

    def rows(self, width: int) -> Sequence[ListRow]:
        """One line for each query."""
        saved = {query: name for name, query in self._state.saved.items()}
        searches = list(dict.fromkeys((*saved, *self._state.searches)))
        self._search_count = len(searches)
        examples = [query for query in self._examples if query not in searches]
        self._queries = [*searches, *examples]
        indent = "  " if searches else ""
        return [
            *(ListRow(query, _search_line(query, saved.get(query))) for query in searches),
            *(ListRow(query, _example_line(f"{indent}{query}", self._examples[query], width)) for query in examples),
        ]

    def reload(self) -> None:
        """List what this app and others have stored."""
        self._state.refresh()
        self._refill(None)

    def show_examples(self, examples: Sequence[Example]) -> None:
        """List examples of the history, or of too few the syntax; the cursor stays."""
        found = {example.query: example.finds for example in examples}
        self._examples = found if len(found) >= _FEWEST else SYNTAX
        self._refill(self._queries[self.highlighted] if self.highlighted is not None else None)

    def choose(self, index: int, *, read: bool) -> None:
        """Search for the query; there is no preview."""
        if read:
            self.post_message(self.Picked(self._queries[index]))

    def action_save(self) -> None:
        """Save the query, or remove it from the saved searches; the cursor stays on it."""
        if self.highlighted is not None:
            query = self._queries[self.highlighted]
            self._state.toggle(query)
            self._change(query)

    def action_forget(self) -> None:
        """Remove the query from the list; the cursor goes to the search below, or to the last one."""
        index = self.highlighted
        if index is not None and index < self._search_count:
            self._state.forget(self._queries[index])
            remaining = [*self._queries[:index], *self._queries[index + 1 :]]
            last = max(0, self._search_count - 2)
            self._change(remaining[min(index, last)] if remaining else None)

    def _change(self, query: str | None) -> None:
        self._refill(query)
        self.post_message(self.Changed())

    def _refill(self, query: str | None) -> None:
        self.fill(query)
        self.border_title = "saved and recent searches" if self._has_searches else "examples"
        self.border_subtitle = _HINTS if self._has_searches else "enter search"


class SearchesView(View):
    """Replaces the chosen view while the user is in the empty search line; it has no key."""

    SHARE = Share(0.42)

    def __init__(self, services: AppServices) -> None:
        super().__init__(services, "searches")
        self._searches = SearchList(services.state)

    def compose_view(self) -> ComposeResult:
        """The list."""
        yield self._searches

    @property
    def focus_target(self) -> Widget:
        """The list."""
        return self._searches

    def reload(self) -> None:
        """List the searches, and examples as soon as they are read."""
        self._searches.reload()
        index = self.services.index
        if index.snapshot is not None:
            index.query("examples", lambda opened: opened.search.examples(), self._searches.show_examples)
        else:
            self._searches.show_examples(())


def _search_line(query: str, name: str | None) -> Content:
    mark = ("★ ", "$text-accent") if name is not None else ("  ", "")
    title = (f"{name}  ", "bold") if name not in (None, query) else ""
    return Content.assemble(mark, title, query)


def _example_line(query: str, text: str, width: int) -> Content:
    text = cut(text, max(0, width - cell_len(query) - 2))
    gap = " " * (width - cell_len(query) - cell_len(text))
    return Content.assemble(query, gap, (text, "dim"))
