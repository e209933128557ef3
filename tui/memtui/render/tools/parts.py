"""Tool calls as parts of a turn: a line, a line for a run of them, or unfolded."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.render.options import ToolsLevel
from memtui.render.rows import Row, prefixed
from memtui.render.tools.bodies import SHORT, body, failure
from memtui.render.tools.calls import RenderedCall
from memtui.render.tools.headings import heading
from memtui.render.tools.runs import run_fold, run_row
from memtui.render.turns.part import Part

_BODY = (("  ", ""),)


def run_part(calls: Sequence[RenderedCall], opened: bool) -> Part:
    """The line of a run of calls, which contains them unless it is `opened`, so that they follow it."""
    part = Part(calls[0].seq, 0, lambda width: [run_row(calls, width, opened)])
    if not opened:
        part.texts = tuple(text for call in calls for text in _texts(call))
        part.blocks = frozenset().union(*map(_blocks, calls))
        part.folded, part.run = True, run_fold(calls[0].seq)
    return part


def call_part(call: RenderedCall, level: ToolsLevel, flipped: bool) -> Part:
    """A call as a level shows it, or unfolded further if `flipped`: at the full level then only its line.

    A line at the summary level, some lines at the short one. A call that failed has some lines that say why, unless
    its search only found nothing.
    """
    if level == "summary" and not flipped:
        return _failed(call) if call.tool.is_error and not call.tool.found_nothing else _folded(call)
    if level == "full" and flipped:
        return _folded(call)
    return _unfolded(call, full=level == "full" or flipped)


def is_unfolded(level: ToolsLevel, flipped: bool) -> bool:
    """Whether a level shows the body of a call, so that a blank line stands between it and others."""
    return level == "short" or (level == "summary") == flipped


def _folded(call: RenderedCall) -> Part:
    def rows(width: int) -> list[Row]:
        return [Row(heading(call, width), call.seq, wrap="none", fold=call.seq)]

    return Part(call.seq, 0, rows, texts=_texts(call), blocks=_blocks(call), folded=True)


def _failed(call: RenderedCall) -> Part:
    def rows(width: int) -> list[Row]:
        lead = Row(heading(call, width, opened=True), call.seq, wrap="none", fold=call.seq)
        return [lead, *prefixed(failure(call, width), _BODY, _BODY)]

    least = 2 + min(SHORT, call.result.text.count("\n") if call.result is not None else 0)
    return Part(call.seq, 0, rows, texts=_texts(call), blocks=_blocks(call), folded=True, least=least)


def _unfolded(call: RenderedCall, *, full: bool) -> Part:
    """A call with its whole body, or with a few lines of it."""

    def rows(width: int) -> list[Row]:
        lead = Row(heading(call, width, opened=True), call.seq, wrap="none", fold=call.seq)
        under = body(call, width - len(_BODY[0][0]), full, heading_width=width)
        return [lead, *prefixed(under, _BODY, _BODY)]

    part = Part(call.seq, 0, rows, texts=_texts(call), blocks=_blocks(call), folded=not full)
    breaks = sum(text.count("\n") + text.count("\\n") for text in part.texts)
    chars = sum(map(len, part.texts))
    if full:
        part.breaks, part.chars = breaks, chars
    else:
        part.least = 2 + min(SHORT, breaks + chars // 100)
    return part


def _blocks(call: RenderedCall) -> frozenset[int]:
    return frozenset({call.seq} if call.result is None else {call.seq, call.result.seq})


def _texts(call: RenderedCall) -> tuple[str, ...]:
    return (call.name, call.block.text, call.result.text) if call.result else (call.name, call.block.text)
