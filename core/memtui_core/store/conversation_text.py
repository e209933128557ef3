"""The conversation of a turn as one text, from which its vectors are made and which recall returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from memtui_core.store.tables import key_condition
from memtui_core.tools.turn_text import ASSISTANT, USER, is_bookkeeping, tool_of_line, turn_text

_SEPARATOR = "\n\n"
RunQuery = Callable[[str], Sequence[tuple[Any, ...]]]
"""Runs a query on the work database or on a snapshot."""


def conversation_texts(run_query: RunQuery, turns: Sequence[int]) -> dict[int, str]:
    """The conversations of turns, by the id of the turn; empty for a turn without text and without tool calls.

    A conversation is the user's text, the answer, a line of tool calls, and the user's next text, which often says
    whether the turn was a success. A turn that follows a compaction is not the next one.
    """
    turn_rows = run_query(
        "SELECT t.id, coalesce(t.user_text, ''), t.tool_summary, n.user_text FROM turns t"
        " LEFT JOIN turns n ON n.session = t.session AND n.number = t.number + 1 AND n.segment = t.segment"
        f" AND n.kind <> 'compaction' WHERE {key_condition('t.id', turns)}"
    )
    answers: dict[int, list[str]] = {}
    for turn, text in run_query(
        f"SELECT turn, text FROM blocks WHERE {key_condition('turn', turns)} AND kind = 'text' ORDER BY turn, seq"
    ):
        answers.setdefault(turn, []).append(text)
    return {
        turn: _conversation(user, answers.get(turn, []), tools or (), next_text)
        for turn, user, tools, next_text in turn_rows
    }


def block_ranges(
    user_length: int,
    user_blocks: Sequence[tuple[int, str]],
    text_blocks: Sequence[tuple[int, str]],
    first: int,
    last: int,
) -> list[tuple[int, int, int]]:
    """The parts of blocks in a range of a turn's conversation, each as `Block.seq` and character offsets (start, end).

    `user_blocks` and `text_blocks` are the turn's blocks of these kinds, each as (`Block.seq`, text); `user_length` is
    the number of characters of its `user_text`. Tool calls and the user's next text are not in these blocks and are
    left out.
    """
    spans: list[tuple[int, int, int]] = []
    start = len(USER)
    for seq, text in user_blocks:
        # A prompt that was typed while the agent worked is a block, but not part of the text that opened the turn.
        if start + len(text) <= len(USER) + user_length:
            spans.append((seq, start, len(text)))
            start += len(text) + len(_SEPARATOR)
    start = len(USER) + user_length + len(ASSISTANT)
    for seq, text in text_blocks:
        spans.append((seq, start, len(text)))
        start += len(text) + len(_SEPARATOR)
    parts = ((seq, max(first, start) - start, min(last, start + length) - start) for seq, start, length in spans)
    return [(seq, begin, end) for seq, begin, end in parts if begin < end]


def _conversation(user: str, answers: Sequence[str], tools: Sequence[str], next_text: str | None) -> str:
    shown_tools = [tool for tool in tools if not is_bookkeeping(tool_of_line(tool))]
    has_text = user or answers or shown_tools
    return turn_text(user, _SEPARATOR.join(answers), shown_tools, next_text) if has_text else ""
