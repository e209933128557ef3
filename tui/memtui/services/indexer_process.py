"""The indexer as a child process of the app, so that reading sources never blocks the screen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from memtui_core.system.systems import is_child_stopped

_STOP_TIMEOUT = 2.0
"""Seconds to wait until the child ends."""
_MAX_OUTPUT = 100_000
"""Bytes of its standard error that are kept."""
_PREFIX = "memtui: "
_KILLED = "The system ended the indexer, most likely because memory was short. Close other programs."
_CRASHED = "The indexer crashed ({name}). If it happens again, please report it."
_ENDED = "Something outside memtui ended the indexer."
_STOPPED = "The indexer was stopped by another program, and was ended."
_HUNG = "The indexer came to a standstill, and was ended."
_LOOK_EVERY = 1.0
"""Seconds between two looks whether it was stopped or hangs."""


class IndexerProcess:
    """Runs `memtui index --watch`, which ends when its standard input is closed, so also after a crash of the app.

    While another indexer works on the same data folder, the process waits for it.
    """

    def __init__(self, data_dir: Path, sources: Sequence[Path]) -> None:
        arguments = [sys.executable, "-P", "-m", "memtui", "index", "--watch", "--quiet", "--until-eof"]
        arguments += ["--data-dir", str(data_dir)]
        for source in sources:
            arguments += ["--source", str(source)]
        self._process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        self._data_dir = data_dir
        self._why_ended = ""
        """Why this process has ended the child, a sentence for the user."""
        self._is_over = threading.Event()
        self._output = b""
        self._output_reader = threading.Thread(target=self._read_output, name="memtui-indexer-messages", daemon=True)
        self._output_reader.start()
        threading.Thread(target=self._end_if_stuck, name="memtui-indexer-check", daemon=True).start()

    def warnings(self) -> list[str]:
        """The messages that the indexer has written so far."""
        lines = self._output_text().split("\n")[:-1]
        return [line.removeprefix(_PREFIX) for line in lines if line.startswith(_PREFIX)]

    def failure(self) -> str | None:
        """The reason why the indexer ended by itself, a sentence for the user; None while it runs."""
        code = self._process.poll()
        if code is None:
            return None
        if self._why_ended:
            return self._why_ended
        if code < 0:
            killed = -code == getattr(signal, "SIGKILL", 9)
            return _KILLED if killed else _CRASHED.format(name=_signal_name(-code))
        if code == 0:
            return _ENDED
        self._output_reader.join(_STOP_TIMEOUT)
        lines = self._output_text().strip().splitlines()
        warnings = self.warnings()
        return warnings[-1] if warnings else _CRASHED.format(name=lines[-1] if lines else f"code {code}")

    @property
    def was_ended(self) -> bool:
        """Whether something outside the indexer has ended it, so that another one may do better."""
        code = self._process.poll()
        return code is not None and code <= 0

    def stop(self) -> None:
        """Stop the indexer; sources that it has read completely are stored."""
        self._is_over.set()
        if self._process.stdin:
            with suppress(OSError):
                self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_STOP_TIMEOUT)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._output_reader.join(_STOP_TIMEOUT)

    def _end_if_stuck(self) -> None:
        """End the child when it was stopped or hangs: nothing that it has published is lost."""
        while not self._is_over.wait(_LOOK_EVERY) and self._process.poll() is None:
            if why := _STOPPED if self._is_stopped() else _HUNG if self._hangs() else "":
                self._why_ended = why
                self._process.kill()
                return

    def _is_stopped(self) -> bool:
        return is_child_stopped(self._process.pid)

    def _hangs(self) -> bool:
        from memtui_core.index.folder import indexer_hangs

        return indexer_hangs(self._data_dir, self._process.pid)

    def _read_output(self) -> None:
        """Keep the first bytes; all others are read too, because a full pipe would block the child."""
        assert self._process.stderr is not None
        with self._process.stderr as pipe:
            while data := os.read(pipe.fileno(), 65_536):
                self._output = (self._output + data)[:_MAX_OUTPUT]

    def _output_text(self) -> str:
        return self._output.decode("utf-8", "replace")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
