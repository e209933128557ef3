"""The tool calls of a session that read a file, changed it, or may have."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from memtui_core.model import Block
from memtui_core.tools.shell_paths import paths_in

_SHELLS = frozenset({"bash", "shell"})
_PATH_FIELDS = ("file_path", "filePath", "notebook_path", "path", "relative_path")
_CHANGES = re.compile(r"edit|write|replace|insert|patch|delete|rename|move")
_PARTS = re.compile(r"[|;&\n]+")
_HARMLESS = re.compile(r"\d?>&\d|&?\d?>\s*/dev/null")
_WRITES = re.compile(r"[>`]|\$\(|--output")
_LOOKS = re.compile(
    r"(?:cat|head|tail|less|nl|wc|ls|file|stat|diff|cmp|grep|egrep|fgrep|rg|cd|pwd|echo|chmod"
    r"|git (?:diff|show|log|status|blame|add|grep|ls-files))(?:\s|$)"
)
_REWRITES = re.compile(
    r"(?:(?:sudo|npx|bunx|uvx|uv run|poetry run|bundle exec)\s+)*(?:"
    r"git\s+(?:-C\s+\S+\s+)?(?:checkout(?!\s+-b)|switch(?!\s+-c)|stash|rebase|merge|pull|restore|cherry-pick|revert"
    r"|apply|am|reset\s+--(?:hard|merge|keep))\b"
    r"|(?:cargo|go|mix|ruff|deno|dart|terraform|dune|make|just|(?:npm|pnpm|yarn|bun)(?:\s+run)?)\s+(?:fmt|format)\b"
    r"|(?:black|isort|rustfmt|gofmt|goimports|pre-commit)\b|.*\s--(?:fix|write)\b)"
)
REWRITES_HINT = "git |fmt|format|black|isort|goimports|pre-commit|--fix|--write"
"""A pattern that occurs in every command that rewrites files without naming them, and in a few others."""


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
    if any(map(is_file, paths_in(command))) and not _only_looks(command):
        return True
    parts = (part.strip() for part in _PARTS.split(command))
    return any(_REWRITES.match(part) and not paths_in(part) for part in parts)


def _only_looks(command: str) -> bool:
    """Whether a command consists of programs that leave the content of files alone."""
    plain = _HARMLESS.sub("", command)
    parts = (part.strip() for part in _PARTS.split(plain))
    return not _WRITES.search(plain) and all(_LOOKS.match(part) for part in parts if part)
