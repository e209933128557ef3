"""The agent's list of to-dos, from the calls of the tools that manage it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memtui_core.text.controls import one_line
from memtui_core.tools.call import ToolCall
from memtui_core.tools.vocabulary import text_of, vocabulary

_CREATED = re.compile(r"Task #(\w+) created")
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Todo:
    """An entry of the agent's list."""

    text: str
    """One line of at most 200 characters."""
    status: str
    """As the agent writes it: `pending`, `in_progress`, `completed`."""


def todos_after(calls: Iterable[ToolCall]) -> dict[str, Todo]:
    """The list after some calls: the entries of the last whole list, then tasks that were created singly.

    The key of a task is its number, `#1`; of an entry of a list its text. A task that was created before these calls
    has an empty text. Calls that failed or have no result count for nothing.
    """
    names = vocabulary().names
    listed: dict[str, Todo] = {}
    tasks: dict[str, Todo] = {}
    for call in calls:
        if call.is_error or call.interrupted:
            continue
        tool = call.name.lower()
        if tool in names.task_creations:
            if call.result and (created := _CREATED.match(call.result.text)):
                tasks[f"#{created[1]}"] = Todo(_text(call.fields.get("subject")), "pending")
        elif tool in names.task_updates:
            _update(tasks, call)
        elif (entries := _listed(call)) is not None:
            listed = entries
    return listed | tasks


def _listed(call: ToolCall) -> dict[str, Todo] | None:
    entries = call.fields.get("todos", call.fields.get("plan"))
    if not isinstance(entries, list):
        return None
    todos = [
        Todo(_text(text_of(entry, ("content", "step", "description"))), str(entry.get("status", "pending")))
        for entry in entries
        if isinstance(entry, dict)
    ]
    return {todo.text: todo for todo in todos}


def _update(tasks: dict[str, Todo], call: ToolCall) -> None:
    number = f"#{call.fields.get('taskId', '')}"
    earlier = tasks.get(number, Todo("", "pending"))
    text = _text(call.fields.get("subject")) or earlier.text
    tasks[number] = Todo(text, str(call.fields.get("status") or earlier.status))


def _text(value: object) -> str:
    return one_line(value, _LONGEST) if isinstance(value, str) else ""
