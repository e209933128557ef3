"""The search bar: what is typed goes out at once, and the answer's size stands in its border."""

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
        # The index is not open yet, and to import the core here would hold up the first key.
        return None
    from memtui_core.search.completion import complete

    return complete(text, values)


class _Completer(Suggester):
    """Shows dim behind the cursor how a filter may go on."""

    def __init__(self, values: Callable[[], Mapping[str, Sequence[str]]]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._values = values

    async def get_suggestion(self, value: str) -> str | None:
        """The value completed."""
        return _completed(value, self._values())


class SearchBar(Input):
    """Text to look for, in every session."""

    HELP: ClassVar[str] = """\
## Search

Words, `"exact phrases"`, `-without`, file names and paths, half or mistyped too. Filters, completed by `tab`:
`project:` `agent:` `session:` `branch:` `pr:14` `file:` `tool:` `model:opus` `in:user|assistant|thinking|tool|title`
`role:` `is:compaction|subagent|main|fork` `has:error|edit|image|thinking` `after:3d` `before:2026-11-20`; with `-`
before it a filter keeps out. `ctrl+r` searches only in the project, or in the session, that is read.
`↓` or `enter` goes to the hits, `esc` clears, and once more leaves.

`↑` goes back through the queries that led to hits (only those that begin with what is typed), `↓` forward again.
`ctrl+s` saves the query, or saves it no longer; `↓` in the empty bar lists the saved ones, then the last ones.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "hits(0)", "Hits", tooltip="Go to the hits", id="search.hits"),
        Binding("up", "older", "Query before", tooltip="To the query before", show=False, id="search.older"),
        Binding("ctrl+j", "hits(1)", "Next hit", tooltip="To the next hit", show=False, id="search.hit-down"),
        Binding("ctrl+k", "hits(-1)", "Hit before", tooltip="To the hit before", show=False, id="search.hit-up"),
        Binding("tab", "complete", "Complete", tooltip="Complete a filter", show=False, id="search.complete"),
        Binding("ctrl+r", "scope", "Scope", tooltip="Everywhere, this project, this session", id="search.scope"),
        Binding("ctrl+s", "save", "Save", tooltip="Save the query, or save it no longer", show=False, id="search.save"),
        Binding("escape", "clear_or_leave", "Clear", tooltip="Clear the query, then leave", id="search.clear"),
    ]

    @dataclass
    class Typed(Message):
        """Another query."""

        text: str

    class ScopeRequested(Message):
        """The next scope is wanted."""

    @dataclass
    class HitsRequested(Message):
        """The person goes to the hits: `read` opens the one chosen, `step` chooses another and stays in the bar."""

        step: int
        read: bool

    @dataclass
    class SaveRequested(Message):
        """The query is to be saved, or no longer if it is saved."""

        text: str

    class ListRequested(Message):
        """The remembered queries are to be listed."""

    @dataclass
    class Left(Message):
        """The person leaves an empty bar."""

    virtual_size = Reactive(Size(0, 0), layout=False)
    """Changes with each letter, and moves nothing on the screen: Textual would lay it all out again."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(
            id=id, placeholder=_PLACEHOLDER, select_on_focus=False, suggester=_Completer(lambda: self.values)
        )
        self.border_title = "search"
        self.values: Mapping[str, Sequence[str]] = {}
        """What filters may be completed with."""
        self._queries: Sequence[str] = ()
        self._history = QueryHistory("", ())

    @property
    def queries(self) -> Sequence[str]:
        """The remembered ones, newest first. New ones start the history anew."""
        return self._queries

    @queries.setter
    def queries(self, queries: Sequence[str]) -> None:
        self._queries = queries
        self._history = QueryHistory(self.value, queries)

    def put(self, text: str) -> None:
        """Another query, with the cursor behind it."""
        self.value = text
        self.cursor_position = len(text)

    def say(self, result: SearchResult | None) -> None:
        """Show how many hits there are and how long they took."""
        if result is None:
            self.border_subtitle = ""
            return
        more = "+" if result.more else ""
        note = f" · {result.note}" if result.note else ""
        self.border_subtitle = Content(f"{len(result.hits)}{more} hits · {result.elapsed_ms:.0f} ms{note}")

    async def on_event(self, event: events.Event) -> None:
        """What is pasted is one query, though it has several lines."""
        if isinstance(event, events.Paste):
            event = events.Paste(" ".join(event.text.split()))
        await super().on_event(event)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Pass on what is typed."""
        event.stop()
        self.post_message(self.Typed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the chosen hit."""
        event.stop()
        self.post_message(self.HitsRequested(0, read=True))

    def action_scope(self) -> None:
        """Search in less, or everywhere again."""
        self.post_message(self.ScopeRequested())

    def action_hits(self, step: int) -> None:
        """Go to the hits, or choose another one from here; back from an older query, to a newer one first."""
        if step == 0 and self._history.shown == self.value and self._history.newer():
            self.put(self._history.shown)
        elif step == 0 and not self.value and self.queries:
            self.post_message(self.ListRequested())
        else:
            self.post_message(self.HitsRequested(step, read=False))

    def action_older(self) -> None:
        """To the query before."""
        if self._history.shown != self.value:
            self._history = QueryHistory(self.value, self.queries)
        if self._history.older():
            self.put(self._history.shown)

    def action_save(self) -> None:
        """Save the query, or save it no longer."""
        if self.value.strip():
            self.post_message(self.SaveRequested(self.value))

    def action_complete(self) -> None:
        """Take what stands dim behind the cursor; where nothing does, the key goes on to the screen."""
        completed = _completed(self.value, self.values) if self.cursor_at_end else None
        if completed is None:
            raise SkipAction
        self.put(completed)

    def action_clear_or_leave(self) -> None:
        """One step back."""
        if self.value:
            self.value = ""
        else:
            self.post_message(self.Left())
