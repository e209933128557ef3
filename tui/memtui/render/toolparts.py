"""Tool calls as parts of a turn: a run of them on few lines, one a line, or with what they did."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.render.calls import Call
from memtui.render.options import ToolsLevel
from memtui.render.part import Part
from memtui.render.rows import Row, prefixed
from memtui.render.toolbodies import SHORT, body
from memtui.render.toolheads import SHOWN, flow, head

_BODY = (("  ", ""),)


def run_part(calls: Sequence[Call]) -> Part:
    """Calls without words between them, on as few lines as they need."""
    if len(calls) == 1:
        return _folded(calls[0])
    least = 1 + min(len(calls), SHOWN) // 3
    texts = tuple(text for call in calls for text in _texts(call))
    part = Part(calls[0].seq, 0, lambda width: flow(calls, width), least=least, texts=texts, folded=True, several=True)
    part.blocks = frozenset().union(*map(_blocks, calls))
    return part


def listed(calls: Sequence[Call]) -> list[Part]:
    """The same calls, a line each."""
    return [_folded(call) for call in calls]


def _folded(call: Call) -> Part:
    def rows(width: int) -> list[Row]:
        return [Row(head(call, width), call.seq, wrap="none", fold=call.seq)]

    return Part(call.seq, 0, rows, texts=_texts(call), blocks=_blocks(call), folded=True)


def unfolded(call: Call, level: ToolsLevel, flipped: bool) -> Part:
    """A call with a few lines of what it did at the short level, with all of it when `flipped` or at the full level."""
    if level == "full" and flipped:
        return _folded(call)
    full = level == "full" or flipped

    def rows(width: int) -> list[Row]:
        lead = Row(head(call, width, opened=True), call.seq, wrap="none", fold=call.seq)
        return [lead, *prefixed(body(call, width - len(_BODY[0][0]), full), _BODY, _BODY)]

    part = Part(call.seq, 0, rows, texts=_texts(call), blocks=_blocks(call), folded=not full)
    part.breaks = sum(text.count("\n") + text.count("\\n") for text in part.texts)
    part.chars = sum(map(len, part.texts))
    if not full:
        part.least = 2 + min(SHORT, part.breaks + part.chars // 100)
        part.chars = part.breaks = 0
    return part


def _blocks(call: Call) -> frozenset[int]:
    return frozenset({call.seq} if call.result is None else {call.seq, call.result.seq})


def _texts(call: Call) -> tuple[str, ...]:
    return (call.name, call.block.text, call.result.text) if call.result else (call.name, call.block.text)
