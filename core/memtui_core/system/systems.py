"""What Linux, macOS and Windows do differently, for code that must work on all of them.

Only this module and those beside it, and those of `memtui.system` for terminals, ask which system it is. It imports
next to nothing, because an agent waits for some commands.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import subprocess

IS_WINDOWS: Final = sys.platform == "win32"
MOVES_OPEN_FILES: Final = not IS_WINDOWS
"""Whether a file can be removed, renamed or replaced while a program has it open."""
READS_WHAT_IS_WRITTEN: Final = not IS_WINDOWS
"""Whether a database that is open for writing can be copied: DuckDB lets nobody else open it on Windows."""
HAS_GROUPS: Final = not IS_WINDOWS
"""Whether a program can be ended together with those that it has started, by `end_group`."""
SYNCS_ALL: Final = not IS_WINDOWS
"""Whether everything can be flushed to the disk at once, by `sync_all`."""
TIME_TICK: Final = 100 if IS_WINDOWS else 1
"""Nanoseconds to which file systems round a time."""
NOT_IN_NAMES: Final = frozenset('<>:"\\|?*') if IS_WINDOWS else frozenset[str]()
"""Characters that the name of a file cannot have, besides the slash and NUL."""


def command_line(words: Sequence[str]) -> str:
    """A command as the shell of this system takes it."""
    if IS_WINDOWS:
        from subprocess import list2cmdline

        return list2cmdline(words)
    import shlex

    return shlex.join(words)


def words_of(line: str, *, windows: bool = IS_WINDOWS) -> list[str]:
    """The words of a command line, such as the value of $EDITOR. Raises ValueError for a quote without an end.

    On Windows a backslash is a part of a path, and becomes a slash, which every program takes for one.
    """
    import shlex

    return shlex.split(line.replace("\\", "/") if windows else line)


def is_shell_script(program: str) -> bool:
    """Whether Windows would give the arguments of a program to its shell, which takes a part of them for commands."""
    return program.lower().endswith((".cmd", ".bat"))


def end_group(process: subprocess.Popen[bytes], *, kill: bool) -> None:
    """Ask a program, and those that it has started, to end, or `kill` them; on Windows only the program is killed.

    It must have been started with `start_new_session=HAS_GROUPS`.
    """
    with suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            import signal

            os.killpg(process.pid, signal.SIGKILL if kill else signal.SIGTERM)


def is_child_stopped(number: int) -> bool:
    """Whether a child was stopped by ctrl-z or SIGSTOP, which Windows does not have."""
    if sys.platform == "win32":
        return False
    if sys.platform == "darwin":
        # It has no `waitid`.
        import psutil

        with suppress(psutil.Error):
            return bool(psutil.Process(number).status() == psutil.STATUS_STOPPED)
        return False
    with suppress(ChildProcessError):
        return os.waitid(os.P_PID, number, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None
    return False


def sync_all() -> None:
    """Flush everything to the disk, where `SYNCS_ALL`."""
    if sys.platform != "win32":
        os.sync()


@contextmanager
def second_lock(path: Path) -> Iterator[bool]:
    """Whether another handle of this process gets the lock of a file that it has; it is held until the block ends.

    Only some network file systems give it. On Windows a lock is kept from all other handles.
    """
    if sys.platform == "win32":
        yield False
        return
    import fcntl

    with path.open("rb+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True


def unsupported(built_for: str = "", libc: str = "", *, has_64_bits: bool = sys.maxsize > 1 << 32) -> str:
    """Why packages that memtui needs are not made for this Python, and what to do; empty if they are.

    `built_for` is what `sysconfig.get_platform` says, `libc` the C library, as `platform.libc_ver` names it.
    """
    if not built_for:
        import platform
        import sysconfig

        built_for, libc = sysconfig.get_platform(), platform.libc_ver()[0]
    if not has_64_bits or built_for == "win32":
        return "This Python has 32 bits, and memtui needs one with 64."
    if built_for.startswith("macosx") and built_for.endswith("x86_64"):
        return "On a Mac, memtui needs an Apple processor and a Python for it: onnxruntime is no longer made for Intel."
    if built_for == "win-arm64":
        return "On Windows for ARM, memtui needs the Python for x86-64 (amd64), which runs there, too."
    if built_for.startswith("linux") and libc != "glibc":
        return (
            "This Linux has no glibc (Alpine has musl), and DuckDB and onnxruntime are not made for it: use another"
            " distribution, or a container of one."
        )
    return ""
