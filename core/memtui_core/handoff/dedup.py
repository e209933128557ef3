"""Of each file and each command the last state only (docs/spec.md S1.2-S1.11)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from memtui_core.handoff.calls import Group, HandoffCall
from memtui_core.tools.shell.effects import has_side_effects

_acts = lru_cache(maxsize=4096)(has_side_effects)


def deduplicate(calls: Iterable[HandoffCall]) -> list[HandoffCall]:
    """The calls that tell the last state, each at its own place; applied twice it gives the same as once.

    - The last read of a file, and the last change of a file, be it an edit or a write; a failed one only where none
      succeeded.
    - The last run of a command, failed or not; every run of one that changes something.
    - All calls of other tools, and all that got no result, which replace nothing; of several that are the same and
      got none the last.
    """
    kept: dict[tuple[Group, str] | tuple[str, str, str] | int, tuple[int, HandoffCall]] = {}
    for place, call in enumerate(calls):
        if call.interrupted:
            kept["interrupted", call.name, call.block.text] = (place, call)
        elif not call.dedup_key or call.group == "other" or _is_kept_always(call):
            kept[place] = (place, call)
        else:
            key = (call.group, call.dedup_key)
            before = kept.get(key)
            if before is None:
                kept[key] = (place, call)
            elif call.group == "command" or not call.is_error or before[1].is_error:
                kept[key] = (place, _instead_of(call, before[1]))
    return [call for _, call in sorted(kept.values(), key=lambda placed: placed[0])]


def _is_kept_always(call: HandoffCall) -> bool:
    return call.group == "command" and _acts(call.dedup_key)


def _instead_of(call: HandoffCall, before: HandoffCall) -> HandoffCall:
    """The call, with a note of what it replaced where that is more than an older state of the same."""
    if call.group == "change" and not before.is_error:
        return replace(call, earlier=call.earlier + before.earlier + 1)
    if call.is_partial and not call.is_error:
        full = before.full_read if before.is_partial or before.is_error else before.id
        return replace(call, full_read=full)
    return call
