"""Tool calls as a hand-off compares them: of each file and each command the last state counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from memtui_core.model import Block
from memtui_core.tools.call import ToolCall
from memtui_core.tools.families import Family
from memtui_core.tools.pairing import paired_turns

Group = Literal["read", "change", "command", "other"]
"""What a call did; keys are compared within a group only."""

_GROUPS: dict[Family, Group] = {"read": "read", "edit": "change", "write": "change", "shell": "command"}


@dataclass(frozen=True)
class HandoffCall(ToolCall):
    """A tool call, and what it replaced."""

    full_read: str = ""
    """Id of the last read of the whole file that this read of a part of it replaced."""
    earlier: int = 0
    """How many earlier changes of the same file this one replaced."""

    @property
    def group(self) -> Group:
        """What the call did."""
        return _GROUPS.get(self.family, "other")

    @property
    def dedup_key(self) -> str:
        """The file's path or the exact command as the call has it.

        Empty for other tools, where the call has none, and for a patch of several files.
        """
        if self.group == "command":
            return self.command
        return self.path if self.group != "other" and len(self.paths) == 1 else ""

    @property
    def is_partial(self) -> bool:
        """Whether it read only a part of a file."""
        return self.group == "read" and any(self.fields.get(name) is not None for name in ("offset", "limit", "pages"))


def extract(turns: Iterable[tuple[int, Iterable[Block]]]) -> list[HandoffCall]:
    """The tool calls of some turns, see `paired_turns`."""
    return [HandoffCall(call.block, call.result, call.turn) for call in paired_turns(turns)]
