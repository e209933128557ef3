"""The side of the process that answers: a socket of its own, and a thread that takes one request at a time."""

from __future__ import annotations

import errno
import os
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memtui.command_socket.protocol import (
    HEAD,
    MAX_PATH,
    NO,
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

_TIMEOUT = 0.5
"""Seconds within which a request must arrive, and its answer must be taken."""
_WAITING = 8
"""Requests that may wait."""


class Request(NamedTuple):
    """What a command asks."""

    folder: str
    """The folder in which it was started."""
    streams: tuple[str, str, bool, bool]
    """How stdout and stderr handle what they cannot encode, and whether each is a terminal."""
    arguments: list[str]


Chunk = tuple[int, bytes]
"""A stream (1 for stdout, 2 for stderr) and what is printed to it."""
Answer = Callable[[Request], "list[Chunk] | None"]
"""What a command prints, in order; None if it has to answer for itself."""


class CommandServer:
    """Answers commands on a data folder until it is closed; without Unix sockets it does nothing."""

    def __init__(self, data_dir: Path, answer: Answer) -> None:
        self._answer = answer
        self._identity, self._environment = identity(), environment()
        self._path = Path(sockets_folder(str(data_dir.absolute()))) / f"{os.getpid()}.sock"
        self._socket: socket.socket | None = None
        with suppress(OSError):
            self._socket = self._listen()
        if self._socket is not None:
            threading.Thread(target=self._serve, args=(self._socket,), name="memtui-commands", daemon=True).start()

    @property
    def is_listening(self) -> bool:
        """Whether commands can ask."""
        return self._socket is not None

    def close(self) -> None:
        """Take no more requests, and remove the socket."""
        listening, self._socket = self._socket, None
        if listening is not None:
            with suppress(OSError):
                self._path.unlink()
            # Ends the wait of the thread, which closing alone does not.
            with suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            listening.close()

    def _listen(self) -> socket.socket | None:
        if sys.platform == "win32" or len(os.fsencode(self._path)) > MAX_PATH:
            return None
        folder = self._path.parent
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        if not is_private(str(folder), folder=True):
            return None
        _remove_stale(folder)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._path.unlink(missing_ok=True)
            listening.bind(str(self._path))
            self._path.chmod(0o600)
            listening.listen(_WAITING)
        except OSError:
            listening.close()
            raise
        return listening

    def _serve(self, listening: socket.socket) -> None:
        while self._socket is not None:
            try:
                connection, _ = listening.accept()
            except OSError as error:
                if error.errno in (errno.ECONNABORTED, errno.EINTR):
                    continue
                return
            with connection, suppress(OSError, ValueError):
                connection.settimeout(_TIMEOUT)
                self._reply(connection)

    def _reply(self, connection: socket.socket) -> None:
        request = self._read_request(connection)
        if request is None:
            connection.sendall(NO)
            return
        connection.sendall(YES)
        chunks: list[Chunk] | None = None
        # Whatever fails here fails again in the command, which reports it.
        with suppress(Exception):
            chunks = self._answer(request)
        if chunks is None:
            connection.sendall(NO)
        else:
            connection.sendall(YES + frame([part for stream, text in chunks for part in (b"%d" % stream, text)]))

    def _read_request(self, connection: socket.socket) -> Request | None:
        """The request; None if it is of another user, another memtui or another environment."""
        if sys.platform == "linux":
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            if int.from_bytes(credentials[4:8], sys.byteorder) != os.geteuid():
                return None
        own, variables, folder, streams, *words = parts_of(_read(connection, frame_length(_read(connection, HEAD))))
        arguments = [os.fsdecode(word) for word in words]
        if not own or (own, variables) != (self._identity, self._environment) or not can_be_answered(arguments):
            return None
        out, error, is_terminal, is_error_terminal = streams.decode().split()
        return Request(os.fsdecode(folder), (out, error, is_terminal == "1", is_error_terminal == "1"), arguments)


def _read(connection: socket.socket, count: int) -> bytes:
    """Exactly so many bytes. Raises OSError."""
    read = b""
    while len(read) < count:
        came = connection.recv(count - len(read))
        if not came:
            raise ConnectionError
        read += came
    return read


def _remove_stale(folder: Path) -> None:
    """Remove the sockets of processes that have ended without doing so."""
    if sys.platform == "win32":
        return
    for path in folder.iterdir():
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked, suppress(OSError):
            asked.settimeout(_TIMEOUT)
            try:
                asked.connect(str(path))
            except ConnectionRefusedError:
                path.unlink()
