"""The keys for observations, shared by the list and the detail pane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from textual.message import Message

from memtui.keys import Key, keys

Action = Literal["write", "change", "forget", "restore", "view"]


@dataclass
class ObservationRequested(Message):
    """Perform an action on the chosen observation."""

    action: Action


OBSERVATION_BINDINGS = keys(
    "timeline, observation",
    Key("a", "note('write')", "Write", "Write an observation for the session", "notes.write",
        synonyms="add new note remember observation", show=True),
    Key("c", "note('change')", "Change", "Change the observation", "notes.change", synonyms="edit note observation"),
    Key("x,delete", "note('forget')", "Forget", "Forget it; u restores it", "notes.forget",
        synonyms="delete remove note observation"),
    Key("u", "note('restore')", "Restore", "Restore the chosen observation, or the one forgotten last", "notes.restore",
        synonyms="undo undelete note observation"),
    Key("v", "note('view')", "View", "Show all of it on the whole screen", "notes.view"),
)  # fmt: skip
"""A widget with these bindings posts `ObservationRequested` in its `action_note`."""
