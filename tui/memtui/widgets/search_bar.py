"""The search bar: posts what is typed, and shows the number of hits in its border."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.suggester import Suggester
from textual.widgets import Input

from memtui.query_history import QueryHistory
from memtui_core.model import SearchResult

_PLACEHOLDER = 'words, "exact phrases", paths, file:ci.yml after:3d'


def _completed(text: str, values: Mapping[str, Sequence[str]]) -> str | None:
    if not values:
        # The index is not open yet, and importing the core here would delay the first key.
        return None
    from memtui_core.search.completion import complete

    return complete(text, values)


class _Completer(Suggester):
    """Suggests the rest of a filter, which is shown dim after the cursor."""

    def __init__(self, values: Callable[[], Mapping[str, Sequence[str]]]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._values = values

    async def get_suggestion(self, value: str) -> str | None:
        """The text with its last filter completed."""
        return _completed(value, self._values())


class SearchBar(Input):
    """The query of a search in all sessions."""

    HELP: ClassVar[str] = """\
## Search

Words, `"exact phrases"`, `-without`, file names and paths, also incomplete or mistyped. Filters, completed by `tab`:
`project:` `agent:` `session:` `branch:` `pr:14` `file:` `tool:` `model:opus`
`in:user|assistant|thinking|tool|title` `role:` `is:compaction|subagent|main|fork` `has:error|edit|image|thinking`
`after:3d` `before:2026-11-20`; a `-` before a filter excludes what matches it. `ctrl+r` limits the search to the
project of the open session, or to that session. `↓` or `enter` goes to the hits, `esc` clears the query, and pressed
again goes back to the view.

`↑` goes back through earlier queries whose hits you opened (only those that begin with the typed text), `↓` forward
again. `ctrl+s` saves the query, or undoes that; `↓` in the empty bar lists the saved searches, then the recent ones.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "hits(0)", "Hits", tooltip="Go to the hits", id="search.hits"),
        Binding("up", "older", "Previous query", tooltip="Go to the previous query", show=False, id="search.older"),
        Binding("ctrl+j", "hits(1)", "Next hit", tooltip="Go to the next hit", show=False, id="search.hit-down"),
        Binding("ctrl+k", "hits(-1)", "Previous hit", tooltip="Go to the previous hit", show=False, id="search.hit-up"),
        Binding("tab", "complete", "Complete", tooltip="Complete a filter", show=False, id="search.complete"),
        Binding(
            "ctrl+r", "scope", "Scope", tooltip="Search everything, this project or this session", id="search.scope"
        ),
        Binding("ctrl+s", "save", "Save", tooltip="Save the query, or undo that", show=False, id="search.save"),
        Binding("escape", "clear_or_leave", "Clear", tooltip="Clear the query, or leave the bar", id="search.clear"),
    ]

    @dataclass
    class Typed(Message):
        """The query has changed."""

        text: str

    class ScopeRequested(Message):
        """Go to the next scope."""

    @dataclass
    class HitsRequested(Message):
        """Go to the hits: `read` opens the chosen hit; a `step` other than 0 chooses another one from the bar."""

        step: int
        read: bool

    @dataclass
    class SaveRequested(Message):
        """Save the query, or remove it from the saved searches."""

        text: str

    class ListRequested(Message):
        """List the saved and the recent searches."""

    @dataclass
    class Left(Message):
        """Go back to the view: the user leaves the empty bar."""

    virtual_size = Reactive(Size(0, 0), layout=False)
    """Without layout, because each letter changes it and Textual would lay out the whole screen again."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(
            id=id, placeholder=_PLACEHOLDER, select_on_focus=False, suggester=_Completer(lambda: self.values)
        )
        self.border_title = "search"
        self.values: Mapping[str, Sequence[str]] = {}
        """The values with which filters are completed, by the name of the filter."""
        self._queries: Sequence[str] = ()
        self._history = QueryHistory("", ())

    @property
    def queries(self) -> Sequence[str]:
        """Earlier queries, newest first. Setting them starts the history again."""
        return self._queries

    @queries.setter
    def queries(self, queries: Sequence[str]) -> None:
        self._queries = queries
        self._history = QueryHistory(self.value, queries)

    def put(self, text: str) -> None:
        """Replace the query, with the cursor at its end."""
        self.value = text
        self.cursor_position = len(text)

    def show_size(self, result: SearchResult | None) -> None:
        """Show the number of hits and the time that the search took; None shows nothing."""
        if result is None:
            self.border_subtitle = ""
            return
        more = "+" if result.more else ""
        note = f" · {result.note}" if result.note else ""
        self.border_subtitle = Content(f"{len(result.hits)}{more} hits · {result.elapsed_ms:.0f} ms{note}")

    async def on_event(self, event: events.Event) -> None:
        """Paste a text of several lines as one line."""
        if isinstance(event, events.Paste):
            event = events.Paste(" ".join(event.text.split()))
        await super().on_event(event)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Post the query."""
        event.stop()
        self.post_message(self.Typed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open the chosen hit."""
        event.stop()
        self.post_message(self.HitsRequested(0, read=True))

    def action_scope(self) -> None:
        """Request the next scope."""
        self.post_message(self.ScopeRequested())

    def action_hits(self, step: int) -> None:
        """Go to the hits, or choose another hit with a `step`.

        While an earlier query is shown, go to the next newer one instead; in the empty bar, list the searches.
        """
        if step == 0 and self._history.current == self.value and self._history.newer():
            self.put(self._history.current)
        elif step == 0 and not self.value and self.queries:
            self.post_message(self.ListRequested())
        else:
            self.post_message(self.HitsRequested(step, read=False))

    def action_older(self) -> None:
        """Show the previous query."""
        if self._history.current != self.value:
            self._history = QueryHistory(self.value, self.queries)
        if self._history.older():
            self.put(self._history.current)

    def action_save(self) -> None:
        """Save the query, or remove it from the saved searches."""
        if self.value.strip():
            self.post_message(self.SaveRequested(self.value))

    def action_complete(self) -> None:
        """Accept the suggestion; without one the key goes to the screen."""
        completed = _completed(self.value, self.values) if self.cursor_at_end else None
        if completed is None:
            raise SkipAction
        self.put(completed)

    def action_clear_or_leave(self) -> None:
        """Clear the query, or leave the empty bar."""
        if self.value:
            self.value = ""
        else:
            self.post_message(self.Left())
