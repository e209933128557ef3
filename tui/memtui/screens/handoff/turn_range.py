"""The range of turns that a hand-off covers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HandoffRange:
    """A range of turns to hand off; without bounds all turns, or the hand-off of a file."""

    name: str = ""
    first: int | None = None
    last: int | None = None


def turn_ranges(turn: int, count: int) -> list[HandoffRange]:
    """The ranges to choose from for a session of `count` turns: all turns, from, up to and only the current turn."""
    bounds = dict.fromkeys([(turn, count), (1, turn), (turn, turn)])
    ranges = [
        HandoffRange(f"turns {first}–{last}" if first < last else f"turn {first}", first, last)
        for first, last in bounds
        if (first, last) != (1, count)
    ]
    return [HandoffRange(), *ranges]
