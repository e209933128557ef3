"""The line at the bottom in which one types what to find in the session that is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class FindBar(Input):
    """Text to find in one session; `SearchBar` goes through all of them."""

    HELP: ClassVar[str] = """\
## Find

Marks what is typed in this session and goes to it. `↓` and `↑` go to the next and the last match, `enter` goes back to
the text, where `n` and `N` go on, and `esc` ends it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,ctrl+j", "match(1)", "Next match", tooltip="To the next match", id="find.down"),
        Binding("up,ctrl+k", "match(-1)", "Match before", tooltip="To the match before", id="find.up"),
        Binding("escape", "leave", "End", tooltip="Mark nothing, back to the text", id="find.leave"),
    ]
    DEFAULT_CSS = """
    FindBar { dock: bottom; display: none; }
    FindBar.-open { display: block; }
    """

    @dataclass
    class Typed(Message):
        """Find another text."""

        text: str

    @dataclass
    class MatchRequested(Message):
        """Go to the next match, or to the one before."""

        direction: int

    @dataclass
    class Left(Message):
        """Back to the text; `keep` when the matches stay marked."""

        keep: bool

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, placeholder="find in this session", compact=True)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Pass on what is typed."""
        event.stop()
        if self.has_class("-open"):
            self.post_message(self.Typed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Back to the text, which stays marked."""
        event.stop()
        self.post_message(self.Left(keep=True))

    def action_match(self, direction: int) -> None:
        """Go to another match."""
        self.post_message(self.MatchRequested(direction))

    def action_leave(self) -> None:
        """Mark nothing."""
        self.post_message(self.Left(keep=False))
