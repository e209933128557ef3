"""The keys of what was written down: the same in the list and in the text beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

What = Literal["write", "change", "forget", "restore", "whole"]


@dataclass
class ObservationRequested(Message):
    """Something is to be done with what is chosen."""

    what: What


class ObservationKeys(Widget):
    """Asks the screen by messages."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "note('write')", "Write", tooltip="Write an observation down for the session", id="notes.write"),
        Binding("c", "note('change')", "Change", tooltip="Change the observation", show=False, id="notes.change"),
        Binding(
            "x,delete", "note('forget')", "Forget", tooltip="Forget it; u brings it back", show=False, id="notes.forget"
        ),
        Binding(
            "u",
            "note('restore')",
            "Restore",
            tooltip="Bring back what was forgotten: the chosen one, else the last",
            show=False,
            id="notes.restore",
        ),
        Binding("v", "note('whole')", "View", tooltip="All of it on the whole screen", show=False, id="notes.view"),
    ]

    def action_note(self, what: What) -> None:
        """Ask for it."""
        self.post_message(ObservationRequested(what))
