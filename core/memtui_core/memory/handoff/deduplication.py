"""Keep only the last state of each file and each command."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from memtui_core.memory.handoff.calls import Group, HandoffCall
from memtui_core.tools.shell.effects import has_side_effects

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
