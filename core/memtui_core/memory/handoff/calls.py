"""Tool calls with the keys by which a hand-off deduplicates them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from memtui_core.model import Block
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired_turns
from memtui_core.tools.vocabulary import Family

Group = Literal["read", "change", "command", "other"]
"""The kind of a call; keys are compared within a group only."""

_GROUPS: dict[Family, Group] = {"read": "read", "edit": "change", "write": "change", "shell": "command"}


@dataclass(frozen=True)
class HandoffCall(ToolCall):
    """A tool call with what it replaced."""

    full_read: str = ""
    """The id of the last read of the whole file, if this read of a part replaced it."""
    earlier: int = 0
    """How many earlier changes of the same file this one replaced."""

    @property
    def group(self) -> Group:
        """The group of the call's family."""
        return _GROUPS.get(self.family, "other")

    @property
    def dedup_key(self) -> str:
        """The file's path or the exact command of the call.

        Empty for other tools, for a call without either, and for a patch of several files.
        """
        if self.group == "command":
            return self.command
        return self.path if self.group != "other" and len(self.paths) == 1 else ""

    @property
    def is_partial(self) -> bool:
        """Whether the call read only a part of a file."""
        return self.group == "read" and any(self.fields.get(name) is not None for name in ("offset", "limit", "pages"))


def handoff_calls(turns: Iterable[tuple[int, Iterable[Block]]]) -> list[HandoffCall]:
    """The tool calls of turns, given by number with their blocks, see `paired_turns`."""
    return [HandoffCall(call.block, call.result, call.turn) for call in paired_turns(turns)]
