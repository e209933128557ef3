"""Programs in a terminal of their own, and what they write to it."""

from __future__ import annotations

import os
import re
import select
import struct
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

CODES: Final = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_].*?\x1b\\|.)", re.DOTALL)
_REST: Final = 0.2
"""Seconds without a word and without work after which the app is at rest: it delays no key by more than 0.15."""
_LOOK: Final = 0.01
"""Seconds between two looks at whether it works."""
_PATIENCE: Final = 120.0
"""Seconds."""


class Terminal:
    """A process in a terminal of its own."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        size: tuple[int, int] | None = None,
        given: bytes | None = None,
    ) -> None:
        """Start the command in a terminal of so many columns and lines; `given` is piped to its standard input."""
        fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))
        self._fd, side = pty.openpty()
        if size is not None:
            fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdin=side if given is None else subprocess.PIPE,
            stdout=side,
            stderr=side,
            start_new_session=True,
        )
        self._name = os.ttyname(side)
        os.close(side)
        self.written = b""
        self.all = b""
        """Everything since the start."""
        if given is not None and self.process.stdin is not None:
            self.process.stdin.write(given)
            self.process.stdin.flush()

    def type(self, keys: str) -> None:
        """Type when the app has come to rest, and forget what was written before."""
        # A key that comes before the focus is where it belongs goes to what had the focus then.
        self.rest()
        self.written = b""
        os.write(self._fd, keys.encode())

    def rest(self) -> None:
        """Read until nothing more comes and none of its threads works or waits for the processor."""
        end = time.monotonic() + _PATIENCE
        since = time.monotonic()
        while (now := time.monotonic()) - since < _REST:
            assert now < end, "it never came to rest"
            if select.select([self._fd], [], [], _LOOK)[0]:
                since = time.monotonic()
                if not self._read_all():
                    return
            elif self._works():
                since = time.monotonic()

    def until(self, done: Callable[[bytes], bool]) -> None:
        """Read until what was written is what is waited for."""
        end = time.monotonic() + _PATIENCE
        while not done(self.written):
            left = end - time.monotonic()
            assert left > 0, f"it did not come: {CODES.sub(b'', self.written)[-2000:].decode(errors='replace')}"
            # A state of the process can change without a word of it.
            if select.select([self._fd], [], [], min(left, _LOOK))[0] and not self._read_all():
                # It may end between the two questions: what is done when it has ended is asked for after that.
                is_running = self.process.poll() is None
                assert is_running or done(self.written), f"it ended: {self.written[-2000:]!r}"
                # Its end is closed, so that there is nothing to wait for any more by `select`.
                time.sleep(_LOOK)

    def until_shown(self, text: str) -> None:
        """Read until a text is written."""
        self.until(lambda written: text.encode() in CODES.sub(b"", written))

    def end(self) -> tuple[int, bytes]:
        """Close its standard input, wait for its end; the exit code, and all that it wrote."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.until(lambda _: self.process.poll() is not None)
        self._read_all()
        return self.process.returncode, self.all

    def stall(self, keys: str) -> None:
        """Take nothing of what it writes any more, and type until it waits for that."""
        termios = pytest.importorskip("termios")
        side = os.open(self._name, os.O_RDWR | os.O_NOCTTY)
        termios.tcflow(side, termios.TCOOFF)
        os.close(side)
        self.type(keys)
        self.rest()

    def hang_up(self) -> None:
        """Take its terminal away without a signal, as a lost connection does."""
        os.close(self._fd)
        self._fd = -1

    def exit_code(self) -> int:
        """Wait for the end of the process whose terminal was taken away."""
        return self.process.wait(_PATIENCE)

    def state(self) -> str:
        """The letter by which Linux names the state of the process."""
        return Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[0]

    def close(self) -> None:
        """End it if it still runs."""
        self.process.kill()
        self.process.wait()
        if self._fd >= 0:
            os.close(self._fd)

    def _works(self) -> bool:
        """Whether a thread of it runs, could run, or waits for a disk; False where Linux does not tell."""
        for stat in Path(f"/proc/{self.process.pid}/task").glob("*/stat"):
            with suppress(OSError):
                if stat.read_text().rpartition(")")[2].split()[0] in "RD":
                    return True
        return False

    def _read_all(self) -> bool:
        """Take all that is there, a few kilobytes each time; False at the end."""
        while select.select([self._fd], [], [], 0)[0]:
            if not self._read():
                return False
        return True

    def _read(self) -> bool:
        """Take what is there; False at the end."""
        with suppress(OSError):
            read = os.read(self._fd, 1 << 16)
            self.written += read
            self.all += read
            return bool(read)
        return False
