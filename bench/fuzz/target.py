"""What is fuzzed: a target makes an input by a random number generator and gives it to the code."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

Attempt = Callable[[Random], object]
"""Makes one input and tries it. Raises what is a failure."""
SLOW = 5.0
"""Seconds for an input of at most some ten thousand characters that count as a failure."""


@dataclass(frozen=True, slots=True)
class Target:
    """A part of memtui with its inputs."""

    name: str
    open: Callable[[], Attempt]
    """Makes ready what all inputs need."""
    weight: int = 1
    """Its share of all inputs, beside the others."""


@dataclass(slots=True)
class Failure:
    """An exception that no input may raise."""

    where: str
    """The exception and the line of code."""
    numbers: list[int] = field(default_factory=list)
    """The inputs that raised it."""
    trace: str = ""


@dataclass(slots=True)
class Outcome:
    """What became of the inputs of one target."""

    name: str
    inputs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    failures: dict[str, Failure] = field(default_factory=dict)


def run(target: Target, seed: int, numbers: Iterator[int], until: float) -> Outcome:
    """Try the inputs with some numbers, until a moment of the monotonic clock."""
    outcome, attempt = Outcome(target.name), target.open()
    started = time.monotonic()
    for number in numbers:
        before = time.monotonic()
        if before > until:
            break
        try:
            attempt(Random(f"{seed} {target.name} {number}"))
        except (Exception, RecursionError) as error:
            _note(outcome, number, _place(error), error)
        seconds = time.monotonic() - before
        if seconds > SLOW:
            _note(outcome, number, f"slow: more than {SLOW:.0f} s", None)
        outcome.slowest = max(outcome.slowest, seconds)
        outcome.inputs += 1
    outcome.seconds = time.monotonic() - started
    return outcome


def _note(outcome: Outcome, number: int, where: str, error: BaseException | None) -> None:
    failure = outcome.failures.setdefault(where, Failure(where))
    failure.numbers.append(number)
    if error is not None and not failure.trace:
        failure.trace = "".join(traceback.format_exception(error))


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "memtui" in frame.filename] or frames
    place = f"{own[-1].filename.rpartition('/memtui')[2]}:{own[-1].lineno}" if own else "?"
    return f"{type(error).__name__} in {place}"
