"""Turns of a session and their blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from memtui_core.model import Block, Turn
from memtui_core.queries.activity.working_time import IS_LONG, active_of_long
from memtui_core.queries.columns import Column, Columns, label, labels, timestamp
from memtui_core.queries.names import of_turn
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import RowSource, key_condition

_TURN = Columns(
    Turn,
    id="id",
    session="session",
    number="number",
    line="line",
    end_line="end_line",
    kind="kind",
    segment="segment",
    user_text="user_text",
    tool_summary=Column("tool_summary", tuple, ()),
    started_at=timestamp("started_at"),
    ended_at=timestamp("ended_at"),
    models=labels("models"),
    input_tokens="input_tokens",
    output_tokens="output_tokens",
    errors="errors",
    provisional="provisional",
    blocks=Column("NULL", tuple, ()),
    pinned=of_turn("pinned", False, "id"),
    tags=of_turn("tags", (), "id"),
    notes=of_turn("notes", (), "id"),
    active=f"CASE WHEN NOT {IS_LONG} THEN ended_at - started_at END",
)
_BLOCK = Columns(
    Block,
    seq="seq",
    line="line",
    kind="kind",
    text="text",
    tool=label("tool"),
    tool_id="tool_id",
    is_error="is_error",
    at=timestamp("at_time"),
    detail="detail",
)
IS_DECISION = "f.kind = 'decision' AND (f.name <> 'said' OR (t.kind IN ('human', 'command') AND s.parent IS NULL))"
"""The condition that a fact `f` of a turn `t` of a session `s` is a decision: no user writes to a subagent."""


def read_turns(source: RowSource, session: int) -> list[Turn]:
    """The turns of a session in order, without their blocks."""
    return _selected(source, "FROM turns WHERE session = ? ORDER BY number", [session])


def _selected(source: RowSource, rest: str, parameters: Sequence[int] = ()) -> list[Turn]:
    turns = _TURN.select(source, rest, parameters)
    active = active_of_long(source, [turn.id for turn in turns if turn.active is None and turn.started_at is not None])
    return [replace(turn, active=active[turn.id]) if turn.id in active else turn for turn in turns]


def read_whole_turns(snapshot: Snapshot, session: int, first: int, last: int) -> list[Turn]:
    """The turns from number `first` to `last`, both included, with their blocks."""
    blocks = read_blocks(snapshot, session, first, last)
    turns = read_turns(snapshot, session)
    return [replace(turn, blocks=blocks[turn.number]) for turn in turns if turn.number in blocks]


def turn_at(turns: Sequence[Turn], at: datetime) -> int | None:
    """The number of the turn that was going on at a time: the last one that had started; None before the first."""
    started = [turn.number for turn in turns if turn.started_at and turn.started_at <= at]
    return started[-1] if started else None


def has_thinking(snapshot: Snapshot, session: int) -> bool:
    """Whether a turn of a session has thinking."""
    return bool(
        snapshot.rows(
            "SELECT 1 FROM turns t JOIN blocks b ON b.turn = t.id WHERE t.session = ? AND b.kind = 'thinking' LIMIT 1",
            [session],
        )
    )


def with_blocks(source: RowSource, turns: Sequence[Turn]) -> list[Turn]:
    """Turns of any sessions with their blocks."""
    blocks = blocks_of_turns(source, [turn.id for turn in turns])
    return [replace(turn, blocks=tuple(blocks[turn.id])) for turn in turns]


def blocks_of_turns(source: RowSource, ids: Iterable[int]) -> dict[int, list[Block]]:
    """The blocks of the turns of any sessions, by the ids of these."""
    blocks: dict[int, list[Block]] = {turn: [] for turn in ids}
    rest = f"FROM blocks WHERE {key_condition('turn', blocks)} ORDER BY turn, seq"
    for turn, block in _BLOCK.select_by(source, "turn", rest):
        blocks[turn].append(block)
    return blocks


def turns_with_blocks(snapshot: Snapshot, ids: Collection[int]) -> list[Turn]:
    """The turns of any sessions with these ids, with their blocks, in order of time."""
    if not ids:
        return []
    order = "credible(started_at) NULLS FIRST, id"
    rest = f"FROM turns WHERE {key_condition('id', ids)} ORDER BY {order}"
    return with_blocks(snapshot, _selected(snapshot, rest))


def _shown(block: Block) -> Block:
    if block.text or block.retention == "full":
        return block
    return replace(block, text=f"not kept: retention = {block.retention}")


def read_blocks(snapshot: Snapshot, session: int, first: int, last: int) -> dict[int, tuple[Block, ...]]:
    """The blocks of the turns from number `first` to `last`, both included, by the number of the turn.

    One whose text is not kept says so.
    """
    numbers = dict(
        snapshot.rows(
            "SELECT id, number FROM turns WHERE session = ? AND number BETWEEN ? AND ? ORDER BY number",
            [session, first, last],
        )
    )
    blocks: dict[int, list[Block]] = {number: [] for number in numbers.values()}
    if numbers:
        # A range of ids is faster than a list of them; turns of other sessions may lie in it.
        rest = "FROM blocks WHERE turn BETWEEN ? AND ? ORDER BY turn, seq"
        for turn, block in _BLOCK.select_by(snapshot, "turn", rest, [min(numbers), max(numbers)]):
            if turn in numbers:
                blocks[numbers[turn]].append(_shown(block))
    return {number: tuple(own) for number, own in blocks.items()}
