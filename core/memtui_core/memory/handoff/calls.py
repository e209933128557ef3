"""The tool calls of a hand-off: only the last state of each file and each command is kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from memtui_core.model import Block
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired_turns
from memtui_core.tools.shell.effects import has_side_effects
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


_has_side_effects = lru_cache(maxsize=4096)(has_side_effects)


def deduplicate(calls: Iterable[HandoffCall]) -> list[HandoffCall]:
    """The calls that show the last state, in their order. The operation is idempotent.

    - The last read and the last change (edit or write) of a file; a failed one only if none succeeded.
    - The last run of a command, failed or not; every run of a command with side effects.
    - All calls of other tools, and all calls without a result, which replace nothing; of equal calls without a result
      only the last.
    """
    kept: dict[tuple[Group, str] | tuple[str, str, str] | int, tuple[int, HandoffCall]] = {}
    for position, call in enumerate(calls):
        if call.interrupted:
            kept["interrupted", call.name, call.block.text] = (position, call)
        elif not call.dedup_key or call.group == "other" or _is_always_kept(call):
            kept[position] = (position, call)
        else:
            key = (call.group, call.dedup_key)
            earlier = kept.get(key)
            if earlier is None:
                kept[key] = (position, call)
            elif call.group == "command" or not call.is_error or earlier[1].is_error:
                kept[key] = (position, _replacing(call, earlier[1]))
    return [call for _, call in sorted(kept.values(), key=lambda entry: entry[0])]


def _is_always_kept(call: HandoffCall) -> bool:
    return call.group == "command" and _has_side_effects(call.dedup_key)


def _replacing(call: HandoffCall, earlier: HandoffCall) -> HandoffCall:
    """The call with the number of changes or the full read that it replaced."""
    if call.group == "change" and not earlier.is_error:
        return replace(call, earlier=call.earlier + earlier.earlier + 1)
    if call.is_partial and not call.is_error:
        full = earlier.full_read if earlier.is_partial or earlier.is_error else earlier.id
        return replace(call, full_read=full)
    return call
