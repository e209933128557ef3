"""When the user typed a prompt: the chat history has no times, but the history of inputs beside it has.

`.aider.input.history` contains every line that was typed, also answers to questions. It has no prompt that the chat
history lacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

from memtui_core.readers.conversion.json_values import local_timestamp

_HISTORY: Final = ".aider.input.history"
_TIME: Final = re.compile(r"# (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?)")


class TypedTimes:
    """The times of the prompts of one session, to be asked for in their order."""

    def __init__(self, chat_history: Path, start: datetime | None, end: datetime | None) -> None:
        self._typed = [
            (at, text)
            for at, text in _inputs(chat_history.with_name(_HISTORY))
            if start is not None and start <= at and (end is None or at < end)
        ]

    def of(self, prompt: str) -> datetime | None:
        """When the next prompt was typed; None if that is not known."""
        words = prompt.split()
        for number, (at, text) in enumerate(self._typed):
            if text.split() == words:
                del self._typed[: number + 1]
                return at
        return None


def _inputs(path: Path) -> tuple[tuple[datetime, str], ...]:
    try:
        status = path.stat()
    except OSError:
        return ()
    return _inputs_in(path, status.st_mtime_ns, status.st_size)


# The sessions of one file are read one after the other.
@lru_cache(maxsize=1)
def _inputs_in(path: Path, _mtime: int, _size: int) -> tuple[tuple[datetime, str], ...]:
    try:
        return tuple(_parsed(path.read_bytes().decode("utf-8", "replace")))
    except OSError:
        return ()


def _parsed(text: str) -> Iterator[tuple[datetime, str]]:
    at: datetime | None = None
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("+"):
            lines.append(line[1:])
            continue
        if at is not None and lines:
            yield at, "\n".join(lines)
            at = None
        lines = []
        if match := _TIME.fullmatch(line):
            at = local_timestamp(match[1])
