"""The session of the default model, in one process for all tests: it takes 200 MB, and half a second to be made."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from multiprocessing.connection import Client, Listener
from pathlib import Path
from typing import Any

from filelock import FileLock

FOLDER = "MODEL_FOLDER"
"""The environment variable with the folder of the run, for processes that shall use its vectors."""


class ModelProcess:
    """Runs the session like that of onnxruntime. The process starts when it is needed, and ends with the one here."""

    def __init__(self, folder: Path) -> None:
        """The folder is the same in all processes that share the session."""
        self._address = folder / "model-address"
        self._started: subprocess.Popen[str] | None = None

    def run(self, names: Sequence[str] | None, inputs: dict[str, Any]) -> Any:
        """What the session gives."""
        with FileLock(f"{self._address}.lock"):
            try:
                return self._ask(names, inputs)
            except (OSError, EOFError):
                self._start()
                return self._ask(names, inputs)

    def close(self) -> None:
        """End the process if it was started here."""
        if self._started is not None:
            self._started.communicate()

    def _ask(self, *arguments: Any) -> Any:
        with Client(self._address.read_text("utf-8")) as connection:
            connection.send(arguments)
            return connection.recv()

    def _start(self) -> None:
        self.close()
        command = [sys.executable, __file__]
        # The model itself must answer there, not the vectors of `cached_vectors`, which would ask this process again.
        environment = {name: value for name, value in os.environ.items() if name != FOLDER}
        self._started = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        assert self._started.stdout is not None
        self._address.write_text(self._started.stdout.readline().rstrip(), "utf-8")


def _answer(listener: Listener) -> None:
    from memtui_core.search.embed.session_model import SessionModel

    session = SessionModel(threads=1)._session
    while True:
        with listener.accept() as connection:
            connection.send(session.run(*connection.recv()))


if __name__ == "__main__":
    # The folder of this file.
    del sys.path[0]
    with Listener() as asked:
        threading.Thread(target=_answer, args=[asked], daemon=True).start()
        sys.stdout.write(f"{asked.address}\n")
        sys.stdout.flush()
        # Whoever started this process holds the other end.
        sys.stdin.read()
