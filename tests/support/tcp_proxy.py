"""A TCP connection that is watched: after so many bytes something happens, such as the death of the server."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self


class TcpProxy:
    """Forwards a port of the loopback to another one.

    When clients have sent `limit` bytes, `at_limit` is called, and then all connections are closed; what came last is
    not forwarded.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self.begin()

    def begin(self, limit: int | None = None, at_limit: Callable[[], object] = lambda: None) -> None:
        """Count from 0 again."""
        self.sent = 0
        """Bytes that clients have sent since."""
        self.limit = limit
        self.done = threading.Event()
        """Set when the limit was reached and `at_limit` has returned."""
        self._at_limit = at_limit

    def url(self, url: str) -> str:
        """The URL of a server by way of this proxy."""
        return url.replace(f":{self._target}/", f":{self.port}/")

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Closing does not wake who accepts; a connection does.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._close_all()
        for thread in self._threads:
            thread.join()

    def _start(self, run: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=run, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                client.close()
                continue
            with self._lock:
                self._sockets += [client, server]
            self._start(self._forward, client, server, True)
            self._start(self._forward, server, client, False)

    def _forward(self, source: socket.socket, target: socket.socket, is_client: bool) -> None:
        with suppress(OSError):
            while data := source.recv(2_048):
                if is_client and self._reaches_limit(len(data)):
                    self._at_limit()
                    self.done.set()
                    self._close_all()
                    return
                target.sendall(data)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _reaches_limit(self, size: int) -> bool:
        with self._lock:
            before, self.sent = self.sent, self.sent + size
            return self.limit is not None and before < self.limit <= self.sent

    def _close_all(self) -> None:
        with self._lock:
            for one in self._sockets:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()
            self._sockets.clear()
