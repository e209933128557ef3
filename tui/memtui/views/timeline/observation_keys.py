"""The keys for observations, shared by the list and the detail pane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from textual.binding import Binding, BindingType
from textual.message import Message

Action = Literal["write", "change", "forget", "restore", "view"]


@dataclass
class ObservationRequested(Message):
    """Perform an action on the chosen observation."""

    action: Action


OBSERVATION_BINDINGS: Final[list[BindingType]] = [
    Binding("a", "note('write')", "Write", tooltip="Write an observation for the session", id="notes.write"),
    Binding("c", "note('change')", "Change", tooltip="Change the observation", show=False, id="notes.change"),
    Binding("x,delete", "note('forget')", "Forget", tooltip="Forget it; u restores it", show=False, id="notes.forget"),
    Binding(
        "u",
        "note('restore')",
        "Restore",
        tooltip="Restore the chosen observation, or the one forgotten last",
        show=False,
        id="notes.restore",
    ),
    Binding("v", "note('view')", "View", tooltip="Show all of it on the whole screen", show=False, id="notes.view"),
]
"""A widget with these bindings posts `ObservationRequested` in its `action_note`."""
