"""The search bar: what is typed goes out at once, and the answer's size stands in its border."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from memtui_core.model import SearchResult


class SearchBar(Input):
    """Text to look for, in every session."""

    HELP: ClassVar[str] = """\
## Search

Words, `"exact phrases"`, `-without`, file names and paths, and the filters `project:`, `agent:`, `session:`, `file:`.
`↓` or `enter` goes to the hits, `esc` clears, and once more leaves.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "hits(0)", "Hits", tooltip="Go to the hits", id="search.hits"),
        Binding("ctrl+j", "hits(1)", "Next hit", tooltip="To the next hit", show=False, id="search.hit-down"),
        Binding("ctrl+k", "hits(-1)", "Hit before", tooltip="To the hit before", show=False, id="search.hit-up"),
        Binding("escape", "clear_or_leave", "Clear", tooltip="Clear the query, then leave", id="search.clear"),
    ]

    @dataclass
    class Typed(Message):
        """Another query."""

        text: str

    @dataclass
    class HitsWanted(Message):
        """The person goes to the hits: `read` opens the one chosen, `step` chooses another and stays in the bar."""

        step: int
        read: bool

    @dataclass
    class Left(Message):
        """The person leaves an empty bar."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, placeholder='words, "exact phrases", paths', select_on_focus=False)
        self.border_title = "search"

    def say(self, result: SearchResult | None) -> None:
        """Show how many hits there are and how long they took."""
        if result is None:
            self.border_subtitle = ""
            return
        more = "+" if result.more else ""
        note = f" · {result.note}" if result.note else ""
        self.border_subtitle = Content(f"{len(result.hits)}{more} hits · {result.elapsed_ms:.0f} ms{note}")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Pass on what is typed."""
        event.stop()
        self.post_message(self.Typed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the chosen hit."""
        event.stop()
        self.post_message(self.HitsWanted(0, read=True))

    def action_hits(self, step: int) -> None:
        """Go to the hits, or choose another one from here."""
        self.post_message(self.HitsWanted(step, read=False))

    def action_clear_or_leave(self) -> None:
        """One step back."""
        if self.value:
            self.value = ""
        else:
            self.post_message(self.Left())
