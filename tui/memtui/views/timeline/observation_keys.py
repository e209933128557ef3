"""The keys for observations: the same in the list and in the pane beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from textual.binding import Binding, BindingType
from textual.message import Message

Action = Literal["write", "change", "forget", "restore", "view"]


@dataclass
class ObservationRequested(Message):
    """Do something with the chosen observation."""

    action: Action


OBSERVATION_BINDINGS: Final[list[BindingType]] = [
    Binding("a", "note('write')", "Write", tooltip="Write an observation for the session", id="notes.write"),
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
    Binding("v", "note('view')", "View", tooltip="All of it on the whole screen", show=False, id="notes.view"),
]
"""A widget that has them posts `ObservationRequested` in its `action_note`."""
