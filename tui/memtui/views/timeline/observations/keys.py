"""The keys for observations, shared by the panes of the timeline, and the message with which these ask the view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from textual.message import Message

from memtui.keys.declarations import Key, keys

Action = Literal["write", "change", "forget", "restore", "view"]
"""What is done with the chosen observation."""
ShownAction = Literal["kind", "project", "zoom"]
"""What is shown next: another kind of observations, one project or all, another range of time in the chart."""
Place = Literal["origin", "text", "list", "search line"]
"""Where the user goes: to the turn in which the observation was saved, to its text, to the widgets around the chart."""


@dataclass
class TimelineRequested(Message):
    """Do something with the chosen row or with what the view shows, or go somewhere."""

    action: Action | ShownAction | Place


OBSERVATION_KEYS = keys(
    "timeline, observation",
    Key("a", "request('write')", "Write", "Write an observation for the session", "notes.write",
        synonyms="add new note remember observation", show=True),
    Key("c", "request('change')", "Change", "Change the observation", "notes.change", synonyms="edit note observation"),
    Key("x,delete", "request('forget')", "Forget", "Forget it; u restores it", "notes.forget",
        synonyms="delete remove note observation"),
    Key("u", "request('restore')", "Restore", "Restore the chosen observation, or the one forgotten last",
        "notes.restore", synonyms="undo undelete note observation"),
    Key("v", "request('view')", "View", "Show all of it on the whole screen", "notes.view"),
)  # fmt: skip
"""A widget with these bindings posts `TimelineRequested` in its `action_request`."""
