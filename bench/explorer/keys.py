"""One key and the answers to it: when their first bytes came, when the first repaint was whole, and when all was still.

Textual moves the cursor of the terminal to the start of each piece of a line that it paints, which tells where a piece
stands: what is painted in the line at the bottom, which counts seconds, is no answer to a key.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from bench.screen import Terminal

GAP = 0.04
"""Seconds without output between one repaint and the next."""
PATIENCE = 2.0
"""Seconds after which a key had no answer."""
_LONGEST = 10.0
"""The same of a key whose answer is needed to go on."""
_MOVE = re.compile(rb"\x1b\[(\d+);(\d+)H")
_CODES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|\[?[0-?]*$)")
"""Whole ones, and one whose end has not come yet."""


class Piece(NamedTuple):
    """A text that was painted, and where: line and column of the screen from 1."""

    row: int
    column: int
    text: str


Where = Callable[[Piece], bool]
"""Whether a piece stands where the answer to a key is looked for."""


@dataclass(frozen=True, slots=True)
class Press:
    """Seconds from a key to what it brought."""

    first: float
    """The first bytes."""
    repaint: float
    """The last bytes before the first pause of `GAP`."""
    still: float
    """The last bytes of all."""


def pieces(output: bytes) -> list[Piece]:
    """What a program painted, by lines; what it wrote before the first move of the cursor is left out."""
    _, *rest = _MOVE.split(output)
    texts = (_CODES.sub(b"", text).decode(errors="replace").strip("\r\n") for text in rest[2::3])
    places = zip(rest[::3], rest[1::3], texts, strict=True)
    return [Piece(int(row), int(column), text) for row, column, text in places if text]


def summed_up(stamps: Sequence[float], still: float = 0.0) -> Press:
    """The times at which bytes of the answer came, as one press; `still` is when the last ones of anything came."""
    ends = (one for one, after in pairwise(stamps) if after - one > GAP)
    return Press(stamps[0], next(ends, stamps[-1]), max(still, stamps[-1]))


def press(terminal: Terminal, keys: str, rest: float, anywhere: Where, here: Where | None = None) -> Press | None:
    """Press keys and read until nothing came for `rest` seconds; None when nothing was painted `here`.

    What is painted `anywhere` else ends the rest too, but is no answer.
    """
    terminal.send(keys)
    stamps: list[float] = []
    still, sizes = 0.0, (0, 0)
    while _read(terminal, still + rest if stamps else PATIENCE):
        came = [piece for piece in pieces(terminal.seen) if anywhere(piece)]
        size, own = _length(came), _length(piece for piece in came if here is None or here(piece))
        if size > sizes[0]:
            still = time.perf_counter() - terminal.started
        if own > sizes[1]:
            stamps.append(still)
        sizes = size, own
    return summed_up(stamps, still) if stamps else None


def _length(painted: Iterable[Piece]) -> int:
    return sum(len(piece.text) for piece in painted)


def until(terminal: Terminal, keys: str, found: Callable[[Iterable[Piece]], bool]) -> float:
    """Press keys; seconds until what was painted since holds what is looked for."""
    terminal.send(keys)
    while not found(pieces(terminal.seen)):
        if not _read(terminal, _LONGEST):
            raise SystemExit(f"{keys!r} did not bring what it should: {pieces(terminal.seen)[-20:]}")
    return time.perf_counter() - terminal.started


def settle(terminal: Terminal, anywhere: Where, rest: float = 0.7) -> float:
    """Read until nothing was painted `anywhere` for `rest` seconds; seconds to the last of it since the start."""
    last = time.perf_counter() - terminal.started
    size = len(terminal.seen)
    while _read(terminal, last + rest):
        if any(map(anywhere, pieces(terminal.seen[size:]))):
            last = time.perf_counter() - terminal.started
        size = len(terminal.seen)
    return last


def _read(terminal: Terminal, end: float) -> bool:
    """Take what has come; False when nothing did until `end`, in seconds since the last key."""
    return terminal.read(terminal.started + end - time.perf_counter())
