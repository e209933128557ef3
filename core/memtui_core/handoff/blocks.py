"""Tool calls with their results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from memtui_core.model import Block

Group = Literal["read", "change", "command", "other"]
"""What a call did; keys are compared within a group only."""

_GROUPS: dict[str, Group] = {
    "read": "read",
    "edit": "change",
    "write": "change",
    "multiedit": "change",
    "notebookedit": "change",
    "bash": "command",
    "shell": "command",
}
_KEYS: dict[Group, tuple[str, ...]] = {
    "read": ("file_path", "filePath", "path"),
    "change": ("file_path", "filePath", "notebook_path", "path"),
    "command": ("command",),
    "other": (),
}
_REJECTED = "doesn't want to proceed"
_NEAR = 200
"""Characters at the beginning of a result in which the agent says that the person rejected the call."""


@dataclass(frozen=True, slots=True)
class ToolBlock:
    """A tool call, and its result if it got one."""

    call: Block
    result: Block | None
    name: str
    dedup_key: str
    """The file's path or the exact command as the call has it; empty for other tools, and where the call has none."""
    turn: int
    """Number of the call's turn."""
    line: int
    """Line of the call in its source."""
    fields: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The input of the call."""
    full_read: str = ""
    """Id of the last read of the whole file that this read of a part of it replaced."""
    earlier: int = 0
    """How many earlier changes of the same file this one replaced."""

    @property
    def id(self) -> str:
        """The call's id, or its place in the session where the agent gave it none."""
        return self.call.tool_id or f"{self.turn}.{self.call.seq}"

    @property
    def group(self) -> Group:
        """What the call did."""
        return _GROUPS.get(self.name.lower(), "other")

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return self.result is not None and self.result.is_error

    @property
    def rejected(self) -> bool:
        """Whether the person refused the call, so that it was never done."""
        return self.result is not None and self.result.is_error and _REJECTED in self.result.text[:_NEAR]

    @property
    def interrupted(self) -> bool:
        """Whether it has no result of its own: it got none, or the person refused it."""
        return self.result is None or self.rejected

    @property
    def is_partial(self) -> bool:
        """Whether it read only a part of a file."""
        return self.group == "read" and any(self.fields.get(name) is not None for name in ("offset", "limit", "pages"))


def extract(turns: Iterable[tuple[int, Iterable[Block]]]) -> list[ToolBlock]:
    """The tool calls of some turns, (number, blocks) each, paired by id, in the order of the calls.

    A call or result whose id was there already counts once, and a result without its call is left out.
    """
    found: list[tuple[int, Block]] = []
    results: dict[str, Block] = {}
    seen: set[str] = set()
    for turn, blocks in turns:
        for block in blocks:
            if block.kind == "tool_result" and block.tool_id:
                results.setdefault(block.tool_id, block)
            elif block.kind == "tool_call" and (not block.tool_id or block.tool_id not in seen):
                seen.add(block.tool_id or "")
                found.append((turn, block))
    return [_paired(turn, call, results.get(call.tool_id or "")) for turn, call in found]


def object_of(text: str | None) -> dict[str, Any]:
    """A JSON object; empty for anything else."""
    try:
        value = orjson.loads(text or "null")
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _paired(turn: int, call: Block, result: Block | None) -> ToolBlock:
    name = call.tool or "tool"
    fields = object_of(call.text)
    values = (fields.get(key) for key in _KEYS[_GROUPS.get(name.lower(), "other")])
    key = next((value for value in values if isinstance(value, str) and value), "")
    return ToolBlock(call, result, name, key, turn, call.line, fields)
