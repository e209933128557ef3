"""The open to-dos of an agent, from the calls of the tools that manage its list."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memtui_core.memory.handoff.calls import HandoffCall
from memtui_core.text.controls import one_line
from memtui_core.tools.vocabulary import vocabulary

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


def todo_tools() -> tuple[str, ...]:
    """The tools from whose calls the to-dos are read, in lower case."""
    names = vocabulary().names
    return (*names.todo_lists, *names.task_creations, *names.task_updates)


def open_todos(calls: Iterable[HandoffCall]) -> list[Todo]:
    """The to-dos that are open after some calls: those of the last list, then tasks that were created singly."""
    names = vocabulary().names
    listed: list[Todo] = []
    tasks: dict[str, Todo] = {}
    for call in calls:
        if call.is_error or call.interrupted:
            continue
        tool = call.name.lower()
        if tool in names.todo_lists:
            listed = _listed(call)
        elif tool in names.task_creations and call.result and (created := _CREATED.match(call.result.text)):
            tasks[created[1]] = Todo(_text(call.fields.get("subject")), "pending")
        elif tool in names.task_updates:
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
