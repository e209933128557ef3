"""The session of the default model, in one process for all tests.

A session takes 200 MB, and half a second to be made. Run this file with the path of its socket.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from multiprocessing.connection import Client, Listener
from pathlib import Path
from typing import Any

from filelock import FileLock

_IDLE = 20.0
"""Seconds after which the process ends when nobody asks."""


class ModelProcess:
    """Runs the session like that of onnxruntime; the process starts when it is first needed."""

    def __init__(self, folder: Path) -> None:
        """The folder is the same in all processes that share the session; its path must be short."""
        self._path = folder / "model"
        self._started: subprocess.Popen[bytes] | None = None

    def run(self, names: Sequence[str] | None, inputs: dict[str, Any]) -> Any:
        """What the session gives."""
        with FileLock(f"{self._path}.lock"):
            try:
                return self._ask(names, inputs)
            except (OSError, EOFError):
                self._start()
                return self._ask(names, inputs)

    def _ask(self, *arguments: Any) -> Any:
        with Client(str(self._path)) as connection:
            connection.send(arguments)
            return connection.recv()

    def _start(self) -> None:
        self._path.unlink(missing_ok=True)
        command = [sys.executable, __file__, str(self._path)]
        self._started = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert self._started.stdout is not None
        with self._started.stdout as told:
            assert told.readline() == b"ready\n"


def serve(path: str) -> None:
    """Answer until nobody asks any more."""
    from memtui_core.embed.minilm import MiniLM

    session = MiniLM(threads=1)._session
    with Listener(path) as listener:
        listener._listener._socket.settimeout(_IDLE)  # type: ignore[attr-defined]
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            try:
                connection = listener.accept()
            except TimeoutError:
                return
            with connection:
                connection.send(session.run(*connection.recv()))


if __name__ == "__main__":
    # The folder of this file.
    del sys.path[0]
    serve(sys.argv[1])
