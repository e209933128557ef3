"""Other processes of this machine: whether one is still the one that it was, whether it works, and its end."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil

from memtui_core.system.systems import IS_WINDOWS

_CLOCKS: Final = 1.0
"""Seconds by which the start of a process may be known too late."""
_WATCHED: Final = 1.0
"""Seconds for which a process is watched to see whether it works."""
_ENDING: Final = 5.0
"""Seconds that the system has to end a killed process."""


class OtherProcess:
    """A process of this machine that was running at a time (seconds since 1970) and has a file open.

    Raises ProcessLookupError if none is: the process with that number may be another one by now.
    """

    def __init__(self, number: int, at: float, file: Path) -> None:
        try:
            self._process = psutil.Process(number)
            is_same = self._process.create_time() <= at + _CLOCKS and _has_open(self._process, file)
        except (psutil.Error, OSError) as error:
            raise ProcessLookupError(number) from error
        if not is_same:
            raise ProcessLookupError(number)

    @property
    def is_stopped(self) -> bool:
        """Whether it was stopped by ctrl-z or SIGSTOP."""
        try:
            return bool(self._process.status() in (psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP))
        except psutil.Error:
            return False

    def works(self) -> bool:
        """Whether it uses the processor or waits for a disk; takes a second unless it waits for a disk or ends."""
        try:
            before = self._used()
            if self._process.status() == psutil.STATUS_DISK_SLEEP:
                return True
            with suppress(psutil.TimeoutExpired):
                self._process.wait(_WATCHED)
            return self._used() != before
        except psutil.Error:
            return False

    def end(self) -> bool:
        """End it at once; whether it has ended."""
        try:
            self._process.kill()
            self._process.wait(_ENDING)
        except psutil.NoSuchProcess:
            return True
        except (psutil.Error, OSError):
            return False
        return True

    def _used(self) -> tuple[float, ...]:
        return tuple(self._process.cpu_times()[:2])


def _has_open(process: psutil.Process, file: Path) -> bool:
    """Whether a process has a file open; on Windows, where that is not known for certain, its start must do."""
    if IS_WINDOWS:
        return True
    own = file.stat()
    return any(os.path.samestat(Path(opened.path).stat(), own) for opened in process.open_files())
