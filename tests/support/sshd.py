"""A real sshd on the loopback, whose sessions begin in a folder that stands for the home folder of another machine."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

CI: Final = "MEMTUI_CI"
"""The variable under which a missing program is a failure, not a reason to skip a test."""
_PROGRAMS: Final = ("sshd", "ssh", "ssh-keygen", "rsync", "tar", "sqlite3", "git")
_STARTING: Final = 20.0
"""Seconds in which the server must listen."""


def require_programs(names: Sequence[str] = _PROGRAMS) -> None:
    """Skip the test if a program is missing, or fail where all must be there."""
    missing = [name for name in names if _which(name) is None]
    if sys.platform == "win32" or missing:
        reason = f"needs {', '.join(missing) or 'a system with sshd'}"
        if os.environ.get(CI):
            pytest.fail(reason)
        pytest.skip(reason)


class LoopbackSsh:
    """The server, and what the sessions of a test are like: `session` sets it up."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self._wrapper = folder / "session.sh"
        for name in ("host_key", "user_key"):
            subprocess.run(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True, timeout=60
            )
        (folder / "authorized_keys").write_bytes((folder / "user_key.pub").read_bytes())
        host_key = (folder / "host_key.pub").read_text().split()
        (folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {host_key[0]} {host_key[1]}\n")
        (folder / "sshd_config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {folder}/host_key\nPidFile none\n"
            f"AuthorizedKeysFile {folder}/authorized_keys\nStrictModes no\nPasswordAuthentication no\n"
            f"KbdInteractiveAuthentication no\nUsePAM no\nForceCommand /bin/sh {self._wrapper}\nMaxStartups 100\n"
            "PermitRootLogin prohibit-password\n"
        )
        (folder / "ssh_config").write_text(
            f"Host *\n  IdentityFile {folder}/user_key\n  IdentitiesOnly yes\n"
            f"  UserKnownHostsFile {folder}/known_hosts\n  GlobalKnownHostsFile /dev/null\n"
        )

    @property
    def address(self) -> str:
        """The address of the machine, as `memtui machine add` takes it."""
        return f"ssh://127.0.0.1:{self.port}"

    @property
    def command(self) -> str:
        """What MEMTUI_SSH is in a test."""
        return shlex.join(["ssh", "-F", str(self.folder / "ssh_config")])

    def session(self, home: Path, programs: Path | None = None, *, before: str = "", after: str = "") -> None:
        """Begin sessions in a folder, with the programs of a folder only if one is named.

        `before` are lines of the shell that run first; `after` is put behind the command, such as a pipe.
        """
        path = f"PATH={shlex.quote(str(programs))}; export PATH\n" if programs is not None else ""
        self._wrapper.write_text(
            f"HOME={shlex.quote(str(home))}; export HOME\n{path}{before}\n"
            f'cd "$HOME" || exit 1\n/bin/sh -c "$SSH_ORIGINAL_COMMAND" {after}\n'
        )

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run the server."""
        sshd = _which("sshd")
        assert sshd is not None
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        log = (self.folder / "sshd.log").open("wb")
        command = [sshd, "-D", "-e", "-f", str(self.folder / "sshd_config")]
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=log, start_new_session=True)
        try:
            self._wait(server)
            yield
        finally:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()
            log.close()

    def _wait(self, server: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + _STARTING
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if server.poll() is not None or time.monotonic() > end:
                    pytest.fail((self.folder / "sshd.log").read_text())
                time.sleep(0.02)


def programs_in(folder: Path, *names: str) -> Path:
    """A folder with links to some programs, which is all that a session may have."""
    folder.mkdir()
    for name in names:
        found = _which(name)
        assert found is not None, name
        (folder / name).symlink_to(found)
    return folder


UNIX: Final = (
    *("sh", "find", "stat", "tar", "pwd", "printf", "cat", "cp", "rm", "mktemp", "head", "sed", "git", "ls"),
    *("env",),
)
"""What each machine has, and git."""


def _which(name: str) -> str | None:
    if name == "python3":
        # The one in the path may be a script of a version manager, which needs other programs.
        return os.path.realpath(sys.executable)
    # Where sshd is, is not in the path of a user.
    return shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin")))


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port
