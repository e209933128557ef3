"""The indexer as a child of the app: a process of its own, so that reading never stops the screen."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_PATIENCE = 2.0
"""Seconds that the child has to end."""


class IndexerProcess:
    """`memtui index --watch`, which ends when the app ends, however it ends: its standard input closes.

    When another indexer is at work on the same folder it waits for its turn by itself.
    """

    def __init__(self, data_dir: Path, sources: Sequence[Path]) -> None:
        arguments = [sys.executable, "-m", "memtui", "index", "--watch", "--quiet", "--until-eof"]
        arguments += ["--data-dir", str(data_dir)]
        for source in sources:
            arguments += ["--source", str(source)]
        # A file, not a pipe: a pipe that nobody reads would stop the child once it is full.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._errors
        )

    def failure(self) -> str | None:
        """Why it ended by itself; None while it runs."""
        if self._process.poll() is None:
            return None
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"the indexer ended with code {self._process.returncode}"

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
        self._errors.close()
