"""The app in a real terminal: a pseudo-terminal that is read until what is waited for is on it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import statistics
import struct
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

COLUMNS, ROWS = 140, 40
TIMEOUT = 30.0
QUIET = 0.4
"""Seconds without output after which the app is at rest."""
SETTLED = 1.5
"""Seconds after a key in which all answers to it have come."""
ANSWER = re.compile(r"hits · \d+ ms")
"""What the search bar says of each answer."""
_CODES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_].*?\x1b\\|.)", re.DOTALL)

FLOOR = """
from textual.app import App
from textual.widgets import Static
class Floor(App):
    def compose(self):
        yield Static("ready to read")
Floor().run()
"""


class Terminal:
    """A program in a terminal of `size` columns and rows, with `environment` over this process's own."""

    def __init__(
        self,
        arguments: Sequence[str],
        size: tuple[int, int] = (COLUMNS, ROWS),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.started = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", TEXTUAL_ANIMATIONS="none")
            os.environ.update(environment or {})
            # Modules are compiled once, as in an installed memtui.
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
            os.execv(sys.executable, [sys.executable, *arguments])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.seen = b""

    def wait_for(self, text: str) -> float:
        """Seconds since the start, or since the last key, until the text is written to the terminal."""
        wanted = text.encode()
        while wanted not in _CODES.sub(b"", self.seen):
            if not self.read(self.started + TIMEOUT - time.perf_counter()):
                raise SystemExit(f"{text!r} did not come: {_CODES.sub(b'', self.seen)[-400:]!r}")
        return time.perf_counter() - self.started

    def send(self, keys: str) -> None:
        """Press keys and forget what was written before."""
        self.seen = b""
        self.started = time.perf_counter()
        os.write(self.fd, keys.encode())

    def pause(self) -> None:
        """Read until nothing has come for a while."""
        while self.read(QUIET):
            pass

    def read(self, seconds: float) -> bool:
        """Take what comes; False if nothing has come in so many seconds."""
        if seconds <= 0 or not select.select([self.fd], [], [], seconds)[0]:
            return False
        self.seen += os.read(self.fd, 1 << 16)
        return True

    def last(self, pattern: re.Pattern[str]) -> float:
        """Seconds from the last key until what stands there in the end came first: a blinking cursor draws it again."""
        found: dict[str, float] = {}
        text, end = "", time.perf_counter() + SETTLED
        while (left := end - time.perf_counter()) > 0 and select.select([self.fd], [], [], left)[0]:
            came = _CODES.sub(b"", os.read(self.fd, 1 << 16)).decode(errors="replace")
            for text in pattern.findall(came):
                found.setdefault(text, time.perf_counter() - self.started)
        return found.get(text, SETTLED)

    def close(self) -> None:
        """Leave the program, and wait until it and what it started have ended: they would slow the next one down."""
        with suppress(OSError):
            os.write(self.fd, b"\x11")
            while os.read(self.fd, 1 << 16):
                pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def start(times: int, arguments: Sequence[str], *texts: str) -> list[float]:
    """Median seconds from the start to each of the texts."""
    found: list[list[float]] = []
    for _ in range(times):
        terminal = Terminal(arguments)
        found.append([terminal.wait_for(text) for text in texts])
        terminal.close()
    return [statistics.median(column) for column in zip(*found, strict=True)]


def app(data_dir: Path, source: Path) -> list[str]:
    """The arguments that open the app on an index."""
    return ["-m", "memtui", "--data-dir", str(data_dir), "--source", str(source)]
