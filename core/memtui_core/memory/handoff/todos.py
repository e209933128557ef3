"""The to-dos of an agent that are open, for the one that goes on."""

from __future__ import annotations

from collections.abc import Iterable

from memtui_core.tools.call import ToolCall
from memtui_core.tools.results.todos import Todo, todos_after
from memtui_core.tools.vocabulary import vocabulary

_DONE = frozenset({"completed", "deleted", "cancelled"})


def todo_tools() -> tuple[str, ...]:
    """The tools from whose calls the to-dos are read, in lower case."""
    names = vocabulary().names
    return (*names.todo_lists, *names.task_creations, *names.task_updates)


def open_todos(calls: Iterable[ToolCall]) -> list[Todo]:
    """The to-dos that are open after some calls: those of the last list, then tasks that were created singly."""
    tools = todo_tools()
    todos = todos_after(call for call in calls if call.name.lower() in tools)
    return [todo for todo in todos.values() if todo.text and todo.status not in _DONE]
