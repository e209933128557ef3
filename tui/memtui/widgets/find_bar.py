"""The line at the bottom for a text to find in the open session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class FindBar(Input):
    """A text to find in the open session; `SearchBar` searches all sessions."""

    HELP: ClassVar[str] = """\
## Find

Marks the typed text in this session and goes to its first match. `↓` and `↑` go to the next and the previous match.
`enter` goes back to the transcript, where `n` and `N` do the same; `esc` removes the marks and goes back.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,ctrl+j", "match(1)", "Next match", tooltip="Go to the next match", id="find.down"),
        Binding("up,ctrl+k", "match(-1)", "Previous match", tooltip="Go to the previous match", id="find.up"),
        Binding("escape", "leave", "End", tooltip="Remove the marks and go back", id="find.leave"),
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
        """Go to the next match (1) or the previous one (-1)."""

        direction: int

    @dataclass
    class Left(Message):
        """Go back to the transcript; `keep` if the matches stay marked."""

        keep: bool

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, placeholder="find in this session", compact=True)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Post the typed text."""
        event.stop()
        if self.has_class("-open"):
            self.post_message(self.Typed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go back to the transcript and keep the marks."""
        event.stop()
        self.post_message(self.Left(keep=True))

    def action_match(self, direction: int) -> None:
        """Request the next match (1) or the previous one (-1)."""
        self.post_message(self.MatchRequested(direction))

    def action_leave(self) -> None:
        """Go back to the transcript and remove the marks."""
        self.post_message(self.Left(keep=False))
