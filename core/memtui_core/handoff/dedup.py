"""Of each file and each command the last state only (docs/spec.md S1.2-S1.11)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from memtui_core.handoff.blocks import Group, ToolBlock
from memtui_core.tools.shell.effects import has_side_effects

_acts = lru_cache(maxsize=4096)(has_side_effects)


def deduplicate(blocks: Iterable[ToolBlock]) -> list[ToolBlock]:
    """The calls that tell the last state, each at its own place; applied twice it gives the same as once.

    - The last read of a file, and the last change of a file, be it an edit or a write; a failed one only where none
      succeeded.
    - The last run of a command, failed or not; every run of one that changes something.
    - All calls of other tools, and all that got no result, which replace nothing; of several that are the same and
      got none the last.
    """
    kept: dict[tuple[Group, str] | tuple[str, str, str] | int, tuple[int, ToolBlock]] = {}
    for place, block in enumerate(blocks):
        if block.interrupted:
            kept["interrupted", block.name, block.block.text] = (place, block)
        elif not block.dedup_key or block.group == "other" or _is_kept_always(block):
            kept[place] = (place, block)
        else:
            key = (block.group, block.dedup_key)
            before = kept.get(key)
            if before is None:
                kept[key] = (place, block)
            elif block.group == "command" or not block.is_error or before[1].is_error:
                kept[key] = (place, _instead_of(block, before[1]))
    return [block for _, block in sorted(kept.values(), key=lambda found: found[0])]


def _is_kept_always(block: ToolBlock) -> bool:
    return block.group == "command" and _acts(block.dedup_key)


def _instead_of(block: ToolBlock, before: ToolBlock) -> ToolBlock:
    """The block, with a note of what it replaced where that is more than an older state of the same."""
    if block.group == "change" and not before.is_error:
        return replace(block, earlier=block.earlier + before.earlier + 1)
    if block.is_partial and not block.is_error:
        full = before.full_read if before.is_partial or before.is_error else before.id
        return replace(block, full_read=full)
    return block
