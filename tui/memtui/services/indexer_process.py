"""The indexer as a child of the app: a process of its own, so that reading never stops the screen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_PATIENCE = 2.0
"""Seconds that the child has to end."""
_MOST = 100_000
"""Bytes of its messages that are kept."""
_PREFIX = "memtui: "
_KILLED = "The system ended the indexer, most likely because memory was short. Close other programs."
_CRASHED = "The indexer crashed ({name}). If it does so again, please report it."
_ENDED = "Something outside memtui ended the indexer."


class IndexerProcess:
    """`memtui index --watch`, which ends when the app ends, however it ends: its standard input closes.

    When another indexer is at work on the same folder it waits for its turn by itself.
    """

    def __init__(self, data_dir: Path, sources: Sequence[Path]) -> None:
        arguments = [sys.executable, "-m", "memtui", "index", "--watch", "--quiet", "--until-eof"]
        arguments += ["--data-dir", str(data_dir)]
        for source in sources:
            arguments += ["--source", str(source)]
        self._process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        self._said = b""
        self._listener = threading.Thread(target=self._listen, name="memtui-indexer-messages", daemon=True)
        self._listener.start()

    def warnings(self) -> list[str]:
        """The sentences that it has said so far."""
        lines = self._messages().split("\n")[:-1]
        return [line.removeprefix(_PREFIX) for line in lines if line.startswith(_PREFIX)]

    def failure(self) -> str | None:
        """Why it ended by itself, in a sentence for a person; None while it runs."""
        code = self._process.poll()
        if code is None:
            return None
        if code < 0:
            killed = -code == getattr(signal, "SIGKILL", 9)
            return _KILLED if killed else _CRASHED.format(name=_signal_name(-code))
        if code == 0:
            return _ENDED
        self._listener.join(_PATIENCE)
        lines = self._messages().strip().splitlines()
        said = self.warnings()
        return said[-1] if said else _CRASHED.format(name=lines[-1] if lines else f"code {code}")

    def stop(self) -> None:
        """Ask it to end; what it has read completely is kept."""
        if self._process.stdin:
            with suppress(OSError):
                self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._listener.join(_PATIENCE)

    def _listen(self) -> None:
        """Keep the first messages; the rest is read too, for a full pipe would stop the child."""
        assert self._process.stderr is not None
        with self._process.stderr as pipe:
            while part := os.read(pipe.fileno(), 65_536):
                self._said = (self._said + part)[:_MOST]

    def _messages(self) -> str:
        return self._said.decode("utf-8", "replace")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
