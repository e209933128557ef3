"""Typing into the search bar of the app in a terminal: how soon each letter is there, and how soon its last answer."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.explorer.keys import pieces
from bench.screen import COLUMNS, ROWS, TIMEOUT, Terminal

_LINE = 2
"""The line with the search bar."""
_FACTS = re.compile(r"\d+\+? hits? · \d+ ms")
"""What the search line says of each answer."""
_SETTLED = 1.2
"""Seconds after the last key in which all answers have come."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What stands on a screen, line by line; each character counts as one cell."""

    lines: tuple[str, ...] = (" " * COLUMNS,) * ROWS

    def after(self, output: bytes) -> Drawn:
        """The same after a program has written something; what it wrote before its first move of the cursor is lost."""
        lines = list(self.lines)
        for row, column, text in pieces(output):
            line = lines[row - 1]
            lines[row - 1] = line[: column - 1] + text + line[column - 1 + len(text) :]
        return Drawn(tuple(lines))

    @property
    def bar(self) -> str:
        """The search line."""
        return self.lines[_LINE - 1]

    @property
    def answer(self) -> tuple[str, ...]:
        """The answer to a query: what the search line says of it, then the lines of the list without its scroll bar."""
        return (*_FACTS.findall(self.bar), *(line[: len(line) // 2 - 1] for line in self.lines[_LINE:-1]))


@dataclass(frozen=True, slots=True)
class Typed:
    """Seconds that a person waits while typing."""

    keys: list[float] = field(default_factory=list)
    """From each key to its letter in the search bar."""
    answers: list[float] = field(default_factory=list)
    """From the last key of each query to its last answer, where it is another one than that before the key."""
    unchanged: list[str] = field(default_factory=list)
    """The queries whose last key has changed nothing."""


class Typist:
    """Types into an app that has shown `opened`; `between` are the seconds from a letter to the next key."""

    def __init__(self, arguments: Sequence[str], opened: str, between: float) -> None:
        self._terminal = Terminal(arguments)
        self._drawn = Drawn()
        self._between = between
        self._terminal.wait_for(opened)

    def open_search(self, quiet: float) -> None:
        """Go to the search bar; `quiet` are the seconds until the first key, in which the model is loaded."""
        self._press("/")
        self._read(quiet)

    def type(self, query: str, typed: Typed) -> None:
        """Type a query, wait for its answer, and clear the bar."""
        for end in range(1, len(query) + 1):
            self._read(self._between)
            before = self._now.answer
            self._press(query[end - 1])
            shown = self._until_typed(query[:end])
            if query[end - 1] != " ":
                typed.keys.append(shown)
        last = self._last_change(before)
        if last is None:
            typed.unchanged.append(query)
        else:
            typed.answers.append(last)
        self._press("\x15")
        self._terminal.pause()

    def close(self) -> None:
        """Leave the app."""
        self._terminal.close()

    def _press(self, key: str) -> None:
        self._drawn = self._now
        self._terminal.send(key)

    def _until_typed(self, typed: str) -> float:
        while typed not in self._now.bar:
            if not self._terminal.read(TIMEOUT):
                raise SystemExit(f"{typed!r} did not come: {self._now.bar!r}")
        return time.perf_counter() - self._terminal.started

    def _last_change(self, before: tuple[str, ...]) -> float | None:
        """Seconds from the last key to the last change of the answer; None if it is the same as `before`."""
        last, answer = None, before
        while True:
            now = self._now.answer
            if now != answer:
                last, answer = time.perf_counter() - self._terminal.started, now
            if not self._terminal.read(self._terminal.started + _SETTLED - time.perf_counter()):
                return last

    @property
    def _now(self) -> Drawn:
        return self._drawn.after(self._terminal.seen)

    def _read(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        while self._terminal.read(end - time.perf_counter()):
            pass


def typing(arguments: Sequence[str], opened: str, queries: Sequence[str], between: float, rest: float) -> Typed:
    """Type queries one after another, `rest` seconds after the search bar was opened."""
    typist, typed = Typist(arguments, opened, between), Typed()
    typist.open_search(rest)
    for query in queries:
        typist.type(query, typed)
    typist.close()
    return typed
