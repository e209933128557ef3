"""How far a turn has come, by its last entry and its age."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memtui_core.model import Block, BlockKind, Turn, TurnKind, TurnState, turn_state

END = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
SOON, LATE, BEFORE = END + timedelta(minutes=4), END + timedelta(minutes=5), END - timedelta(days=2)


def turn(names: str, kind: TurnKind, *, provisional: bool) -> Turn:
    """A turn with blocks of these kinds; `interrupt` and `meta` are notes."""
    kinds: dict[str, tuple[BlockKind, str | None]] = {
        "interrupt": ("note", "interrupt"), "meta": ("note", "meta"), "error": ("note", "error"),
        "user": ("user", None), "image": ("image", None), "text": ("text", None), "thinking": ("thinking", None),
        "call": ("tool_call", "Bash"), "result": ("tool_result", "Bash"),
    }  # fmt: skip
    blocks = [Block(seq, seq, kinds[name][0], "x", kinds[name][1]) for seq, name in enumerate(names.split())]
    return Turn(1, 1, 1, 0, 9, kind, 0, "x", (), None, END, provisional=provisional, blocks=tuple(blocks))


@pytest.mark.parametrize(
    ("blocks", "kind", "soon", "late", "when_not_last"),
    [
        ("user", "human", "running", "unanswered", None),
        ("user image meta", "human", "running", "unanswered", None),
        ("user error", "human", "running", "unanswered", None),
        ("user", "command", "running", None, None),
        ("user", "agent", "running", None, None),
        ("user thinking", "human", "running", None, None),
        ("user text call", "human", "running", None, None),
        ("user call result meta", "human", "running", None, None),
        ("user text user", "human", "running", None, None),
        ("user text", "human", None, None, None),
        ("user call result text meta", "human", None, None, None),
        ("user call interrupt", "human", "interrupted", "interrupted", "interrupted"),
        ("user interrupt meta", "human", "interrupted", "interrupted", "interrupted"),
        ("user interrupt text", "human", None, None, None),
        ("user call interrupt call", "human", "running", None, None),
        ("meta", "opening", None, None, None),
        ("", "human", None, None, None),
    ],
)
def test_a_turn_is_running_unanswered_or_interrupted_if_the_transcript_says_so(
    blocks: str, kind: TurnKind, soon: TurnState | None, late: TurnState | None, when_not_last: TurnState | None
) -> None:
    last, other = turn(blocks, kind, provisional=True), turn(blocks, kind, provisional=False)
    states = [turn_state(last, last.blocks, SOON), turn_state(last, last.blocks, LATE)]
    # A clock that is days ahead says nothing.
    assert [*states, turn_state(last, last.blocks, BEFORE)] == [soon, late, late]
    assert turn_state(other, other.blocks, SOON) == when_not_last
