"""Sessions as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memtui.cli.output import short_time
from memtui_core.text.controls import plain

if TYPE_CHECKING:
    from memtui_core.model import Block, Session, Turn

_MAX_RESULT_LINES = 20
"""Maximum lines of a tool result; `--json` prints all."""


def session_text(session: Session, turns: Sequence[Turn]) -> Iterator[str]:
    """A session and some of its turns, with their blocks, as plain text, part by part."""
    yield f"{session.title}\n{session.session_id} · {session.project} · {short_time(session.started_at)}\n"
    for turn in turns:
        yield f"\n── {session.session_id}:{turn.number} · {short_time(turn.started_at)} · {turn.kind} ──\n"
        for block in turn.blocks:
            yield from _block_text(block)


def _block_text(block: Block) -> Iterator[str]:
    if block.kind == "user":
        yield f"\n● {block.text}\n"
    elif block.kind == "text":
        yield f"\n○ {block.text}\n"
    elif block.kind == "thinking":
        yield _indented("thinking", block.text)
    elif block.kind == "tool_call":
        yield f"\n▸ {block.tool} {block.text}\n"
    elif block.kind == "tool_result":
        lines = _lines(block.text)
        more = [f"… {len(lines) - _MAX_RESULT_LINES} more lines"] if len(lines) > _MAX_RESULT_LINES else []
        yield _indented("✗" if block.is_error else "", "\n".join(lines[:_MAX_RESULT_LINES] + more))
    else:
        yield _indented(block.tool or block.kind, block.text)


def _indented(label: str, text: str) -> str:
    head = f"    [{label}]\n" if label else ""
    return head + "".join(f"    {line}\n" for line in _lines(text))


def _lines(text: str) -> list[str]:
    """The lines of a text as printed: `splitlines` would also break them at control characters and at U+2028."""
    lines = plain(text).split("\n")
    return lines if lines[-1] else lines[:-1]
