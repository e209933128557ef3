"""What an agent had still to do, from the tools by which it keeps its list."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memtui_core.handoff.blocks import ToolBlock
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


def open_todos(blocks: Iterable[ToolBlock]) -> list[Todo]:
    """What is not done at the end of some calls: the last list as a whole, then tasks made one by one."""
    listed: list[Todo] = []
    tasks: dict[str, Todo] = {}
    for block in blocks:
        if block.is_error or block.interrupted:
            continue
        if block.name == "TodoWrite":
            listed = _listed(block)
        elif block.name == "TaskCreate" and block.result and (made := _CREATED.match(block.result.text)):
            tasks[made[1]] = Todo(_said(block.fields.get("subject")), "pending")
        elif block.name == "TaskUpdate":
            _update(tasks, block)
    return [todo for todo in (*listed, *tasks.values()) if todo.text and todo.status not in _DONE]


def _listed(block: ToolBlock) -> list[Todo]:
    given = block.fields.get("todos")
    found = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    return [Todo(_said(one.get("content")), str(one.get("status", "pending"))) for one in found]


def _update(tasks: dict[str, Todo], block: ToolBlock) -> None:
    number = str(block.fields.get("taskId", ""))
    before = tasks.get(number, Todo("", "pending"))
    text = _said(block.fields.get("subject")) or before.text
    tasks[number] = Todo(text, str(block.fields.get("status") or before.status))


def _said(value: object) -> str:
    return one_line(value, _LONGEST) if isinstance(value, str) else ""
