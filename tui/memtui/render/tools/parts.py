"""Tool calls as parts of a turn: several on few lines, one on each line, or unfolded."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.render.options import ToolsLevel
from memtui.render.rows import Row, prefixed
from memtui.render.tools.bodies import SHORT, body
from memtui.render.tools.calls import RenderedCall
from memtui.render.tools.headings import SHOWN, heading, summary_rows
from memtui.render.turns.part import Part

_BODY = (("  ", ""),)


def run_part(calls: Sequence[RenderedCall]) -> Part:
    """Consecutive calls on as few lines as possible."""
    if len(calls) == 1:
        return _folded(calls[0])
    least = 1 + min(len(calls), SHOWN) // 3
    texts = tuple(text for call in calls for text in _texts(call))
    part = Part(
        calls[0].seq, 0, lambda width: summary_rows(calls, width), least=least, texts=texts, folded=True, several=True
    )
    part.blocks = frozenset().union(*map(_blocks, calls))
    return part


def listed_parts(calls: Sequence[RenderedCall]) -> list[Part]:
    """Calls with a line for each."""
    return [_folded(call) for call in calls]


def _folded(call: RenderedCall) -> Part:
    def rows(width: int) -> list[Row]:
        return [Row(heading(call, width), call.seq, wrap="none", fold=call.seq)]

    return Part(call.seq, 0, rows, texts=_texts(call), blocks=_blocks(call), folded=True)


def unfolded_part(call: RenderedCall, level: ToolsLevel, flipped: bool) -> Part:
    """A call with a few lines of its body at the short level, or the whole body if `flipped` or at the full level."""
    if level == "full" and flipped:
        return _folded(call)
    full = level == "full" or flipped

    def rows(width: int) -> list[Row]:
        heading_row = Row(heading(call, width, opened=True), call.seq, wrap="none", fold=call.seq)
        return [heading_row, *prefixed(body(call, width - len(_BODY[0][0]), full), _BODY, _BODY)]

    part = Part(call.seq, 0, rows, texts=_texts(call), blocks=_blocks(call), folded=not full)
    part.breaks = sum(text.count("\n") + text.count("\\n") for text in part.texts)
    part.chars = sum(map(len, part.texts))
    if not full:
        part.least = 2 + min(SHORT, part.breaks + part.chars // 100)
        part.chars = part.breaks = 0
    return part


def _blocks(call: RenderedCall) -> frozenset[int]:
    return frozenset({call.seq} if call.result is None else {call.seq, call.result.seq})


def _texts(call: RenderedCall) -> tuple[str, ...]:
    return (call.name, call.block.text, call.result.text) if call.result else (call.name, call.block.text)
