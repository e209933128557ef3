"""Processes of Python programs that start in a moment: forks of one that has loaded what they import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

from support import fork_server


class Forks:
    """A fork server; what it loads must start no thread. Not for tests about imports, or about the process itself."""

    def __init__(self, *modules: str) -> None:
        # The path of a socket has at most some 100 characters.
        self._folder = TemporaryDirectory(prefix="forks")
        self._socket = Path(self._folder.name) / "asked"
        command = [sys.executable, fork_server.__file__, str(self._socket), *modules]
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Forks:
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == b"ready\n"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.communicate()
        self._folder.cleanup()

    def command(self, program: str, *arguments: str) -> list[str]:
        """What starts a module, or a file whose name ends in `.py`, with some arguments."""
        relay = Path(__file__).with_name("fork_relay.py")
        return [sys.executable, "-I", "-S", str(relay), str(self._socket), program, *arguments]
