"""Pairing tool calls with their results, for all parts of memtui."""

from __future__ import annotations

from collections.abc import Iterable

from memtui_core.model import Block
from memtui_core.tools.call import ToolCall


def paired(blocks: Iterable[Block]) -> list[ToolCall]:
    """The tool calls of one turn, see `paired_turns`; their `turn` is 0."""
    return paired_turns([(0, blocks)])


def paired_turns(turns: Iterable[tuple[int, Iterable[Block]]]) -> list[ToolCall]:
    """The tool calls of turns, each as (number, blocks), with their results, in the order of the calls.

    Results of parallel calls can be in any order, and a result can be in a later turn, so they are paired by id. Of
    several results with the same id the first counts, and so does a repeated call with the same id and input. A result
    without a call is left out.
    """
    calls: list[tuple[int, Block]] = []
    results: dict[str, Block] = {}
    seen: set[tuple[str, str]] = set()
    for turn, blocks in turns:
        for block in blocks:
            if block.kind == "tool_result" and block.tool_id:
                results.setdefault(block.tool_id, block)
            elif block.kind == "tool_call" and (block.tool_id or "", block.text) not in seen:
                if block.tool_id:
                    seen.add((block.tool_id, block.text))
                calls.append((turn, block))
    return [ToolCall(call, results.get(call.tool_id or ""), turn) for turn, call in calls]


def calls_by_seq(blocks: Iterable[Block]) -> dict[int, ToolCall]:
    """The tool calls of one turn by their `Block.seq`, in file order.

    A result whose call is not in the blocks is a `ToolCall` with `is_orphan`.
    """
    blocks = list(blocks)
    calls = {call.seq: call for call in paired(blocks)}
    known = {call.block.tool_id for call in calls.values() if call.block.tool_id}
    for block in blocks:
        if block.kind == "tool_result" and block.tool_id not in known:
            calls[block.seq] = ToolCall(block)
    return dict(sorted(calls.items()))
