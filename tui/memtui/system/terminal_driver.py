"""The driver of a terminal on Linux and macOS, which ends the app when the terminal is gone.

A terminal that is closed sends a signal, which by itself would end the process before it has saved and removed what it
must. A connection can also be lost without a signal. From then on, the thread that reads the terminal meets its end
again and again, and the one that writes to it fails.
"""

from __future__ import annotations

import logging
import select
import signal
import sys
from contextlib import suppress
from functools import partial
from typing import Any, TextIO

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

assert sys.platform != "win32"

_log = logging.getLogger(__name__)
_CHECK = 1.0
"""Seconds between two checks whether the terminal is there."""


class TerminalDriver(LinuxDriver):
    """Textual's driver with an output that never fails, and a check for the end of the terminal."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        self._file: Any = _Output(self._file)
        self._hang_up = select.poll()
        self._hang_up.register(self.fileno, select.POLLHUP)
        self._check()
        for number, why in ((signal.SIGHUP, "The terminal is gone."), (signal.SIGTERM, "Asked to end.")):
            self._loop.add_signal_handler(number, partial(self._end, why))

    def _check(self) -> None:
        if any(event & select.POLLHUP for _, event in self._hang_up.poll(0)):
            self._end("The terminal is gone.")
        else:
            self._loop.call_later(_CHECK, self._check)

    def _end(self, why: str) -> None:
        _log.warning(why)
        self._app.exit(return_code=1)


class _Output:
    """A file that drops what it cannot write: without the thread that writes to it, the app would wait for ever."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()
