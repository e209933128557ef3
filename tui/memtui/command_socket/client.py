"""A cold command asks a running process for its answer, before it imports anything.

Whatever goes wrong, the command answers for itself, and has lost at most the timeouts below.
"""

from __future__ import annotations

import os
import sys
import time

from memtui.command_socket.protocol import (
    HEAD,
    STDOUT,
    YES,
    can_be_answered,
    environment,
    frame,
    frame_length,
    identity,
    is_private,
    parts_of,
    sockets_folder,
)

_HANDSHAKE = 0.15
"""Seconds within which a process must say that it will try."""
_ANSWER = 0.8
"""Seconds within which its answer must be complete."""
_MAX_ASKED = 2
"""Processes that are asked at most, those that started last first."""
_BLOCK = 1 << 16


def answered(arguments: list[str]) -> bool:
    """Whether a running process has answered a command, and the answer was printed."""
    if not can_be_answered(arguments) or sys.platform == "win32":
        return False
    streams = _streams()
    data_dir = _data_dir(arguments)
    if streams is None or data_dir is None:
        return False
    try:
        folder = sockets_folder(os.path.abspath(data_dir))  # noqa: PTH100
        sockets = [os.path.join(folder, name) for name in os.listdir(folder)]  # noqa: PTH118, PTH208
        if not sockets or not is_private(folder, folder=True):
            return False
        sockets.sort(key=lambda path: -os.lstat(path).st_mtime_ns)
        words = [os.fsencode(word) for word in arguments]
        request = frame([identity(), environment(), os.fsencode(os.getcwd()), streams, *words])  # noqa: PTH109
    except (OSError, ValueError):
        return False
    for path in sockets[:_MAX_ASKED]:
        parts = _ask(path, request)
        if parts is not None:
            _print(parts)
            return True
    return False


def _ask(path: str, request: bytes) -> list[bytes] | None:
    """What the process behind a socket answers: streams and texts in turn; None if it does not, or not in time."""
    if sys.platform == "win32" or not is_private(path, folder=False):
        return None
    import _socket

    socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        end = time.monotonic() + _HANDSHAKE
        socket.settimeout(_HANDSHAKE)
        socket.connect(path)
        if not _is_own(socket):
            return None
        socket.sendall(request)
        if _read(socket, 1, end) != YES:
            return None
        end = time.monotonic() + _ANSWER
        if _read(socket, 1, end) != YES:
            return None
        parts = parts_of(_read(socket, frame_length(_read(socket, HEAD, end)), end))
        return parts if len(parts) % 2 == 0 else None
    except (OSError, ValueError):
        return None
    finally:
        socket.close()


def _is_own(socket: object) -> bool:
    """Whether the other end is a process of this user; where the system does not say, the folder's mode has to do."""
    if sys.platform != "linux":
        return True
    import _socket

    assert isinstance(socket, _socket.socket)
    credentials = socket.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    return int.from_bytes(credentials[4:8], sys.byteorder) == os.geteuid()


def _read(socket: object, count: int, end: float) -> bytes:
    """Exactly so many bytes. Raises OSError if they do not come until `end`."""
    import _socket

    assert isinstance(socket, _socket.socket)
    read = b""
    while len(read) < count:
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        socket.settimeout(left)
        came = socket.recv(min(count - len(read), _BLOCK))
        if not came:
            raise ConnectionError
        read += came
    return read


def _streams() -> bytes | None:
    """How stdout and stderr print, for the process that answers; None if it cannot do the same."""
    out, error = sys.stdout, sys.stderr
    if out is None or error is None or {out.encoding.lower(), error.encoding.lower()} != {"utf-8"}:
        return None
    if os.environ.get("TERM") == "dumb" and out.isatty():
        # The terminal of the process that answers may show colours.
        return None
    # What `memtui.__main__` makes of them.
    handling = "replace" if out.errors == "strict" else str(out.errors)
    return f"{handling} {error.errors} {out.isatty():d} {error.isatty():d}".encode()


def _data_dir(arguments: list[str]) -> str | None:
    """The data folder that the command most likely uses: the process that answers must have the same."""
    for number, word in enumerate(arguments):
        if word == "--data-dir" and number + 1 < len(arguments):
            return arguments[number + 1]
        if word.startswith("--data-dir="):
            return word.partition("=")[2]
    variable = os.environ.get("MEMTUI_DATA_DIR")
    if variable:
        return os.path.expanduser(variable)  # noqa: PTH111
    base = os.environ.get("XDG_DATA_HOME", "").strip()
    if not base:
        home = "~/Library/Application Support" if sys.platform == "darwin" else "~/.local/share"
        base = os.path.expanduser(home)  # noqa: PTH111
    return os.path.join(base, "memtui")  # noqa: PTH118


def _print(parts: list[bytes]) -> None:
    """Print the texts in their order; a reader of stdout that has gone is no error."""
    for number in range(0, len(parts), 2):
        stream = sys.stdout if parts[number] == b"%d" % STDOUT else sys.stderr
        try:
            stream.buffer.write(parts[number + 1])
            stream.buffer.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            return
