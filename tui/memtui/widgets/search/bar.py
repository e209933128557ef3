"""The search bar: posts what is typed, which is a query or the filter of a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.actions import SkipAction
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.suggester import Suggester
from textual.widgets import Input

from memtui.keys.declarations import Key, keys
from memtui.settings.query_history import QueryHistory
from memtui.widgets.search.words import PLACEHOLDER


def _completed(text: str, values: Mapping[str, Sequence[str]]) -> str | None:
    if not values:
        # The index is not open yet, and importing the core here would delay the first key.
        return None
    from memtui_core.index.search import complete

    return complete(text, values)


def _key_outside(key: str) -> str | None:
    """The key that is meant for the transcript or the screen: `r` for `alt+r`; None for a key of the search bar."""
    if key in {"pageup", "pagedown"}:
        return key
    modifiers, _, letter = key.rpartition("+")
    shift = modifiers == "alt+shift"
    return (letter.upper() if shift else letter) if len(letter) == 1 and (shift or modifiers == "alt") else None


class _Completer(Suggester):
    """Suggests the rest of a filter, which is shown dim after the cursor."""

    def __init__(self, values: Callable[[], Mapping[str, Sequence[str]]]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._values = values

    async def get_suggestion(self, value: str) -> str | None:
        """The text with its last filter completed."""
        return _completed(value, self._values())


class SearchBar(Input):
    """The query of a search, or the filter of the list of the view."""

    HELP: ClassVar[str] = """\
## Search

Words, `"exact phrases"`, `-without`, file names and paths, also incomplete or mistyped. Filters, completed by `tab`:
{filters}; a `-` before a filter excludes what matches it. `↓` or `enter` goes to the hits, `esc` clears the query, and
pressed again goes back to the view.

`ctrl+r`, or a click on its name at the right end, changes what is searched: all projects, the project of the open
session, that session, or only the list of the view, which the text then filters. In a list with a filter `/` starts
with that; `/` in the empty line searches all projects.

`↑` goes back through earlier queries whose hits you opened (only those that begin with the typed text), `↓` forward
again. `pgdn` and `pgup` scroll the transcript beside the hits, and `alt` with a letter does what the letter does there:
`alt+r` resumes, `alt+e` exports, `alt+t` shows the tools; `alt+D` shows each hit on one line. `ctrl+s` saves the query,
or undoes that; the empty line lists the saved searches, then the recent ones.
"""
    """The legend replaces `{filters}` by the filters of the query language."""
    BINDINGS = keys(
        "search",
        Key("down", "hits(0)", "Hits", "Go to the hits", "search.hits", show=True),
        Key("up", "older", "Previous query", "Go to the previous query", "search.older"),
        Key("ctrl+j", "hits(1)", "Next hit", "Go to the next hit", "search.hit-down"),
        Key("ctrl+k", "hits(-1)", "Previous hit", "Go to the previous hit", "search.hit-up"),
        Key("tab", "complete", "Complete", "Complete a filter", "search.complete"),
        Key("ctrl+r", "scope", "Scope", "Search everything, this project, this session or the list", "search.scope",
            synonyms="project session all filter", show=True),
        Key("ctrl+s", "save", "Save", "Save the query, or undo that", "search.save",
            synonyms="keep favourite star bookmark"),
        Key("escape", "clear_or_leave", "Clear", "Clear the query, or leave the bar", "search.clear", show=True),
    )  # fmt: skip

    @dataclass
    class Typed(Message):
        """The query has changed."""

        text: str

    @dataclass
    class ScopeRequested(Message):
        """Go to the next scope, or search everything."""

        everything: bool = False

    @dataclass
    class HitsRequested(Message):
        """Go to the hits: `read` opens the chosen hit; a `step` other than 0 chooses another one from the bar."""

        step: int
        read: bool

    @dataclass
    class SaveRequested(Message):
        """Save the query, or remove it from the saved searches."""

        text: str

    class Left(Message):
        """Go back to the view: the user leaves the empty bar, or a query for which the view has asked."""

    @dataclass
    class KeyPressed(Message):
        """Do what a key does in the transcript, or else on the screen, or in the list of the hits."""

        key: str

    virtual_size = Reactive(Size(0, 0), layout=False)
    """Without layout, because each letter changes it and Textual would lay out the whole screen again."""

    def __init__(self) -> None:
        super().__init__(
            id="search",
            placeholder=PLACEHOLDER,
            select_on_focus=False,
            suggester=_Completer(lambda: self.values if not self.is_filter else {}),
            compact=True,
        )
        self.is_filter = False
        """Whether the text filters a list instead of being a query."""
        self.values: Mapping[str, Sequence[str]] = {}
        """The values with which filters are completed, by the name of the filter."""
        self._queries: Sequence[str] = ()
        self._history = QueryHistory("", ())
        self._requested = ""
        """The query for which something outside the bar has asked, until it is changed."""

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

    def request(self, query: str) -> None:
        """Put a query for which something outside the bar has asked: `esc` leads straight back there."""
        self.put(query)
        self._requested = query

    async def on_event(self, event: events.Event) -> None:
        """Paste a text of several lines as one line."""
        if isinstance(event, events.Paste):
            event = events.Paste(" ".join(event.text.split()))
        await super().on_event(event)

    async def _on_key(self, event: events.Key) -> None:
        message: Message | None = None
        if event.key == "slash" and self.is_filter and not self.value:
            message = self.ScopeRequested(everything=True)
        elif (key := _key_outside(event.key)) is not None:
            message = self.KeyPressed(key)
        if message is None:
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        self.post_message(message)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Post the query."""
        event.stop()
        if event.value != self._requested:
            self._requested = ""
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

        While an earlier query is shown, go to the next newer one instead.
        """
        if step == 0 and self._history.current == self.value and self._history.newer():
            self.put(self._history.current)
        else:
            self.post_message(self.HitsRequested(step, read=False))

    def action_older(self) -> None:
        """Show the previous query; a filter has none."""
        if self.is_filter:
            return
        if self._history.current != self.value:
            self._history = QueryHistory(self.value, self.queries)
        if self._history.older():
            self.put(self._history.current)

    def action_save(self) -> None:
        """Save the query, or remove it from the saved searches."""
        if self.value.strip() and not self.is_filter:
            self.post_message(self.SaveRequested(self.value))

    def action_complete(self) -> None:
        """Accept the suggestion; without one the key goes to the screen."""
        completed = _completed(self.value, self.values) if self.cursor_at_end and not self.is_filter else None
        if completed is None:
            raise SkipAction
        self.put(completed)

    def action_clear_or_leave(self) -> None:
        """Clear the query, or leave the empty bar or a requested query."""
        if self.value and self.value != self._requested:
            self.value = ""
        else:
            self.post_message(self.Left())
