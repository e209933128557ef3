"""A line that is being read, told so that it can be found again after the transcript was laid out anew."""

from __future__ import annotations

from typing import NamedTuple

from memtui.render.rows import GAP, Line
from memtui.widgets.document import Document, Place

_END = (1 << 40, 0)
"""The key of the blank line after a turn."""


class Anchor(NamedTuple):
    """A line by what it says: it outlives a new width, other folds and new turns."""

    number: int
    """`Turn.number`."""
    key: tuple[int, int]
    """`Part.key`."""
    seq: int
    """`Row.seq`."""
    row: int
    """Which row with this `seq` in the part."""
    start: int
    """Character in the row."""


def anchor(document: Document, place: Place) -> Anchor:
    """What stands at a place."""
    box = document.turns[place.turn]
    part = box.boxes[place.part].part
    lines = document.lines(place.turn, place.part)
    if place.part == len(box.boxes) - 1 and not any(line.text.strip() for line in lines):
        return Anchor(box.turn.number, _END, GAP, 0, 0)
    line = lines[min(place.line, len(lines) - 1)]
    rows = sorted({other.row for other in lines if other.seq == line.seq})
    return Anchor(box.turn.number, part.key, line.seq, rows.index(line.row), line.start)


def find(document: Document, mark: Anchor) -> Place:
    """Where it stands now; the nearest place before it when it is not shown any more."""
    turn = document.index.get(mark.number)
    if turn is None:
        last = max((number for number in document.index if number < mark.number), default=None)
        return Place(document.index[last], 0, 0) if last is not None else Place(0, 0, 0)
    boxes = document.turns[turn].boxes
    part = max((i for i, box in enumerate(boxes) if box.part.key <= mark.key), default=0)
    exact = boxes[part].part.key == mark.key
    lines = document.lines(turn, part)
    if not exact:
        return Place(turn, part, _nearest(lines, mark.seq))
    rows = sorted({line.row for line in lines if line.seq == mark.seq})
    if not rows:
        return Place(turn, part, _nearest(lines, mark.seq))
    row = rows[min(mark.row, len(rows) - 1)]
    start = mark.start if mark.row < len(rows) else 0
    best = max((i for i, line in enumerate(lines) if line.row == row and line.start <= start), default=0)
    return Place(turn, part, best)


def _nearest(lines: list[Line], seq: int) -> int:
    """The last line that belongs to something before `seq`, or the first line."""
    return max((i for i, line in enumerate(lines) if line.seq <= seq), default=0)
