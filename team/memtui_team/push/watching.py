"""When to push again while a process watches: after a change, and later each time that it fails."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

POLL: Final = 1.0
"""Seconds between two looks at the files."""
SHORTEST: Final = 10.0
"""Seconds between two pushes."""
LONGEST: Final = 300.0
"""The longest time, in seconds, after which a push that failed is tried again."""


class Watch:
    """Waits for the next push; `files` are those whose change is a reason."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._state = self._look()
        self.pause = SHORTEST
        """Seconds until the next push, if there is a reason for one."""
        self._failed = False

    def succeeded(self) -> None:
        """Push again after a change."""
        self.pause, self._failed = SHORTEST, False

    def failed(self) -> None:
        """Push again after a pause, twice as long as the one before."""
        self.pause = min(LONGEST, self.pause * 2) if self._failed else SHORTEST
        self._failed = True

    def wait(self) -> None:
        """Wait until it is time; what changes after that is a reason for the push after the next one."""
        time.sleep(self.pause)
        while not self._failed and self._look() == self._state:
            time.sleep(POLL)
        self._state = self._look()

    def _look(self) -> list[tuple[int, int] | None]:
        return [_stamp(path) for path in self._files]


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
