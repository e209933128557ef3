"""The line at the bottom for a text to find in the open session, or in what is shown on the whole screen."""

from __future__ import annotations

from typing import ClassVar, Protocol

from textual.widgets import Input

from memtui.keys.declarations import Key, keys
from memtui.wording.formatting import plural


class Finder(Protocol):
    """What finds the text of a bar."""

    def find(self, text: str) -> None:
        """Mark a text and go to its first match; a blank text marks nothing."""

    def step_match(self, direction: int) -> None:
        """Go to the next match (1) or the previous one (-1)."""

    def leave_find(self, *, keep: bool) -> None:
        """Focus the text in which was searched; `keep` if the matches stay marked."""


class FindBar(Input):
    """A text to find in the text that is shown; `SearchBar` searches all sessions."""

    HELP: ClassVar[str] = """\
## Find

Marks the typed text and goes to its first match. `↓` and `↑` go to the next and the previous match. `enter` goes back
to the text, where `n` and `N` do the same; `esc` removes the marks and goes back.
"""
    BINDINGS = keys(
        "find",
        Key("down,ctrl+j", "match(1)", "Next match", "Go to the next match", "find.down", show=True, moves=True),
        Key("up,ctrl+k", "match(-1)", "Previous match", "Go to the previous match", "find.up", show=True, moves=True),
        Key("escape", "leave", "End", "Remove the marks and go back", "find.leave", show=True),
    )
    DEFAULT_CSS = """
    FindBar { dock: bottom; display: none; }
    FindBar.-open { display: block; }
    """

    def __init__(self, place: str, finder: Finder, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, placeholder=f"find in this {place}", compact=True)
        self._finder = finder

    def open(self) -> None:
        """Show the bar and focus it, with the last text selected."""
        self.add_class("-open")
        self.focus()
        self.select_all()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Find the typed text."""
        event.stop()
        if self.has_class("-open"):
            self._finder.find(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go back to the text and keep the marks."""
        event.stop()
        self._leave(keep=True)

    def action_match(self, direction: int) -> None:
        """Go to the next match (1) or the previous one (-1)."""
        self._finder.step_match(direction)

    def action_leave(self) -> None:
        """Go back to the text and remove the marks."""
        self._leave(keep=False)

    def _leave(self, *, keep: bool) -> None:
        self._finder.leave_find(keep=keep)
        self.remove_class("-open")


def match_text(current: int, total: int) -> str:
    """What a border says of the matches: `match 2 of 20`."""
    if current:
        return f"match {current} of {total}"
    return plural(total, "match", "matches") if total else "no match"
