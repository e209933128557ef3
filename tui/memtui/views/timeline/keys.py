"""The keys that panes of the timeline share, and what these keys do."""

from __future__ import annotations

from typing import Literal

from memtui.keys.declarations import Key, keys

Action = Literal["write", "change", "forget", "restore", "view"]
"""What is done with the chosen observation."""
ShownAction = Literal["kind", "project", "zoom", "last day"]
"""What is shown next: another kind of observations, one project or all, another range of time in the chart, the last
day."""
Place = Literal["origin", "text", "list", "search line"]
"""Where the user goes: to the turn in which the observation was saved, to its text, to the widgets around the chart."""

TIMELINE_KEYS = keys(
    "timeline",
    Key("F", "request('kind')", "Filter", "Show one type of observations, or forgotten ones", "past.filter",
        synonyms="kind type", show=True),
    Key("p", "request('project')", "Project", "Show all projects, or the project of the row", "past.project",
        synonyms="scope all"),
    Key("d", "request('zoom')", "Range", "Show a day, a week, a month, a year or all time", "past.range",
        synonyms="zoom days month week year time period", show=True),
    Key("t", "request('last day')", "Today", "Go to today, or to the last day with a session", "past.today",
        synonyms="now last newest day"),
)  # fmt: skip
"""The keys of list and chart for what is shown. A widget with these bindings has an `action_request`."""

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
"""The keys for observations. A widget with these bindings has an `action_request`."""
