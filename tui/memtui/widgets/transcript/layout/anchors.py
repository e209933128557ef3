"""Anchors: lines identified by their content, which are found again after a new layout."""

from __future__ import annotations

from typing import NamedTuple

from memtui.render.rows import GAP, Line, line_of
from memtui.widgets.transcript.layout.boxes import TranscriptPlace
from memtui.widgets.transcript.layout.document import Document

_TURN_END = (1 << 40, 0)
"""The key of the blank line after a turn."""


class Anchor(NamedTuple):
    """A line, identified so that it stays valid with another width, other folds and new turns."""

    number: int
    """`Turn.number`."""
    key: tuple[int, int]
    """`Part.key`."""
    seq: int
    """`Row.seq`."""
    row: int
    """Index among the rows of the part with this `seq`."""
    start: int
    """Index of the line's first character in the row."""


def anchor_at(document: Document, place: TranscriptPlace) -> Anchor:
    """The anchor of a place."""
    box = document.turns[place.turn]
    part = box.boxes[place.part].part
    lines = document.lines(place.turn, place.part)
    if place.part == len(box.boxes) - 1 and not any(line.text.strip() for line in lines):
        return Anchor(box.turn.number, _TURN_END, GAP, 0, 0)
    line = lines[min(place.line, len(lines) - 1)]
    rows = sorted({other.row for other in lines if other.seq == line.seq})
    return Anchor(box.turn.number, part.key, line.seq, rows.index(line.row), line.start)


def place_of(document: Document, anchor: Anchor) -> TranscriptPlace:
    """The current place of an anchor, or the nearest place before it if its line is no longer shown."""
    turn = document.index.get(anchor.number)
    if turn is None:
        last = max((number for number in document.index if number < anchor.number), default=None)
        return TranscriptPlace(document.index[last], 0, 0) if last is not None else TranscriptPlace(0, 0, 0)
    boxes = document.turns[turn].boxes
    part = max((i for i, box in enumerate(boxes) if box.part.key <= anchor.key), default=0)
    lines = document.lines(turn, part)
    rows = sorted({line.row for line in lines if line.seq == anchor.seq})
    if boxes[part].part.key != anchor.key or not rows:
        return TranscriptPlace(turn, part, _nearest(lines, anchor.seq))
    row = rows[min(anchor.row, len(rows) - 1)]
    start = anchor.start if anchor.row < len(rows) else 0
    return TranscriptPlace(turn, part, line_of(lines, row, start))


def _nearest(lines: list[Line], seq: int) -> int:
    """The last line that belongs to a block up to `seq`, or the first line."""
    return max((i for i, line in enumerate(lines) if line.seq <= seq), default=0)
