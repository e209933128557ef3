"""What an agent had still to do, from the tools by which it keeps its list."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memtui_core.handoff.calls import HandoffCall
from memtui_core.text.controls import one_line
from memtui_core.tools.summary import BOOKKEEPING

TOOLS = ("TodoWrite", "TaskCreate", "TaskUpdate")
NOISE = BOOKKEEPING - {"AskUserQuestion", "ExitPlanMode", "TaskOutput", "TaskStop"}
"""Tools whose results say only that the list was kept; answers of a person, plans and outputs are no such results."""

_CREATED = re.compile(r"Task #(\w+) created")
_DONE = frozenset({"completed", "deleted", "cancelled"})
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Todo:
    """One thing to do."""

    text: str
    """One line of at most 200 characters."""
    status: str
    """As the agent calls it: `pending`, `in_progress`, `completed`."""


def open_todos(calls: Iterable[HandoffCall]) -> list[Todo]:
    """What is not done at the end of some calls: the last list as a whole, then tasks made one by one."""
    listed: list[Todo] = []
    tasks: dict[str, Todo] = {}
    for call in calls:
        if call.is_error or call.interrupted:
            continue
        if call.name == "TodoWrite":
            listed = _listed(call)
        elif call.name == "TaskCreate" and call.result and (made := _CREATED.match(call.result.text)):
            tasks[made[1]] = Todo(_said(call.fields.get("subject")), "pending")
        elif call.name == "TaskUpdate":
            _update(tasks, call)
    return [todo for todo in (*listed, *tasks.values()) if todo.text and todo.status not in _DONE]


def _listed(call: HandoffCall) -> list[Todo]:
    given = call.fields.get("todos")
    found = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    return [Todo(_said(one.get("content")), str(one.get("status", "pending"))) for one in found]


def _update(tasks: dict[str, Todo], call: HandoffCall) -> None:
    number = str(call.fields.get("taskId", ""))
    before = tasks.get(number, Todo("", "pending"))
    text = _said(call.fields.get("subject")) or before.text
    tasks[number] = Todo(text, str(call.fields.get("status") or before.status))


def _said(value: object) -> str:
    return one_line(value, _LONGEST) if isinstance(value, str) else ""
