"""The tool calls of a session that read a file, changed it, or may have."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from memtui_core.model import Block
from memtui_core.tools.shell.files import steps

_SHELLS = frozenset({"bash", "shell"})
_PATH_FIELDS = ("file_path", "filePath", "notebook_path", "path", "relative_path")
_CHANGES = re.compile(r"edit|write|replace|insert|patch|delete|rename|move")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that concerns the file; the tool's name is in small letters."""

    id: str
    turn: int
    tool: str
    fields: dict[str, Any]

    @property
    def in_shell(self) -> bool:
        """Whether it is a command, of which nobody knows what it does to the file."""
        return self.tool in _SHELLS

    @property
    def changes(self) -> bool:
        """Whether the tool is one that changes files, by its name."""
        return _CHANGES.search(self.tool) is not None


def call_of(block: Block, turn: int, is_file: Callable[[str], bool]) -> Call | None:
    """The call of a block that reads the file, changes it, or may; None for any other block."""
    tool = (block.tool or "").lower()
    if tool not in _SHELLS and not any(f'"{name}"' in block.text for name in _PATH_FIELDS):
        return None
    try:
        fields = orjson.loads(block.text)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(fields, dict):
        return None
    if tool in _SHELLS:
        command = fields.get("command")
        concerned = isinstance(command, str) and _may_change(command, is_file)
    else:
        values = (fields.get(name) for name in _PATH_FIELDS)
        concerned = is_file(next((value for value in values if isinstance(value, str) and value), ""))
    return Call(block.tool_id or "", turn, tool, fields) if concerned else None


def _may_change(command: str, is_file: Callable[[str], bool]) -> bool:
    """Whether a command names the file and does more than look, or changes files without naming them."""
    done = list(steps(command))
    is_named = any(is_file(file.path) for step in done for file in step.files)
    return any(step.rewrites or (is_named and not step.keeps_content) for step in done)
