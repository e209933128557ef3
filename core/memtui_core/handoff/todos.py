"""The open to-dos of an agent, from the calls of the tools that manage its list."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memtui_core.handoff.calls import HandoffCall
from memtui_core.text.controls import one_line
from memtui_core.tools.turn_text import BOOKKEEPING

_LISTS = ("TodoWrite", "todowrite", "todos")
"""Tools whose call has the whole list, in the argument `todos`."""
TOOLS = (*_LISTS, "TaskCreate", "TaskUpdate")
BOOKKEEPING_TOOLS = BOOKKEEPING - {"AskUserQuestion", "ExitPlanMode", "TaskOutput", "TaskStop"}
"""Tools whose results only confirm a change of the list; answers of the user, plans and outputs are not among them."""

_CREATED = re.compile(r"Task #(\w+) created")
_DONE = frozenset({"completed", "deleted", "cancelled"})
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Todo:
    """An entry of the agent's list."""

    text: str
    """One line of at most 200 characters."""
    status: str
    """As the agent writes it: `pending`, `in_progress`, `completed`."""


def open_todos(calls: Iterable[HandoffCall]) -> list[Todo]:
    """The to-dos that are open after some calls: those of the last list, then tasks that were created singly."""
    listed: list[Todo] = []
    tasks: dict[str, Todo] = {}
    for call in calls:
        if call.is_error or call.interrupted:
            continue
        if call.name in _LISTS:
            listed = _listed(call)
        elif call.name == "TaskCreate" and call.result and (created := _CREATED.match(call.result.text)):
            tasks[created[1]] = Todo(_text(call.fields.get("subject")), "pending")
        elif call.name == "TaskUpdate":
            _update(tasks, call)
    return [todo for todo in (*listed, *tasks.values()) if todo.text and todo.status not in _DONE]


def _listed(call: HandoffCall) -> list[Todo]:
    todos = call.fields.get("todos")
    entries = [entry for entry in todos if isinstance(entry, dict)] if isinstance(todos, list) else []
    return [Todo(_text(entry.get("content")), str(entry.get("status", "pending"))) for entry in entries]


def _update(tasks: dict[str, Todo], call: HandoffCall) -> None:
    number = str(call.fields.get("taskId", ""))
    earlier = tasks.get(number, Todo("", "pending"))
    text = _text(call.fields.get("subject")) or earlier.text
    tasks[number] = Todo(text, str(call.fields.get("status") or earlier.status))


def _text(value: object) -> str:
    return one_line(value, _LONGEST) if isinstance(value, str) else ""
