"""What was said in a turn, as the one text that stands for it: for its vectors, and for those who recall it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from memtui_core.store.tables import among
from memtui_core.tools.summary import ASSISTANT, BOOKKEEPING, USER, turn_text

_BETWEEN = "\n\n"
Rows = Callable[[str], Sequence[tuple[Any, ...]]]
"""Runs a statement: of the indexer's file or of a snapshot."""


def conversations(rows: Rows, turns: Sequence[int]) -> dict[int, str]:
    """The texts of some turns by their id; empty for a turn in which nothing was said.

    The person's text, the answer, a line of tool calls, and the person's next text, which often says what the turn
    was worth. What follows a compaction is another conversation.
    """
    heads = rows(
        "SELECT t.id, coalesce(t.user_text, ''), t.tool_summary, n.user_text FROM turns t"
        " LEFT JOIN turns n ON n.session = t.session AND n.number = t.number + 1 AND n.segment = t.segment"
        f" AND n.kind <> 'compaction' WHERE {among('t.id', turns)}"
    )
    said: dict[int, list[str]] = {}
    for turn, text in rows(
        f"SELECT turn, text FROM blocks WHERE {among('turn', turns)} AND kind = 'text' ORDER BY turn, seq"
    ):
        said.setdefault(turn, []).append(text)
    return {turn: _whole(user, said.get(turn, []), tools or (), following) for turn, user, tools, following in heads}


def block_ranges(
    user_length: int, asked: Sequence[tuple[int, str]], said: Sequence[tuple[int, str]], first: int, last: int
) -> list[tuple[int, int, int]]:
    """The parts of blocks that a range of a turn's conversation is made of: `Block.seq`, first and last character.

    `asked` and `said` are the turn's `user` and `text` blocks with their `Block.seq`, `user_length` the characters of
    its `user_text`. Tool calls and the person's next text are no part of these blocks and are left out.
    """
    places: list[tuple[int, int, int]] = []
    start = len(USER)
    for seq, text in asked:
        # What was asked while the agent worked is a block, but not part of the text that opened the turn.
        if start + len(text) <= len(USER) + user_length:
            places.append((seq, start, len(text)))
            start += len(text) + len(_BETWEEN)
    start = len(USER) + user_length + len(ASSISTANT)
    for seq, text in said:
        places.append((seq, start, len(text)))
        start += len(text) + len(_BETWEEN)
    cut = ((seq, max(first, start) - start, min(last, start + length) - start) for seq, start, length in places)
    return [(seq, begin, until) for seq, begin, until in cut if begin < until]


def _whole(user: str, said: Sequence[str], tools: Sequence[str], following: str | None) -> str:
    told = [tool for tool in tools if tool.split(" ", 1)[0].rstrip(":") not in BOOKKEEPING]
    return turn_text(user, _BETWEEN.join(said), told, following) if user or said or told else ""
