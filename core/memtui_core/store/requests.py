"""What a process asks of the indexer of a data folder: one file a request, and one file an answer.

The process that holds the lock of the indexer serves all requests, so none is served twice at the same time. One that
was not answered stays, and is served by the next indexer: serving a request twice has to be the same as once.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from memtui_core.errors import MemtuiError
from memtui_core.store.data_folder import DataDir
from memtui_core.system.atomic_files import remove_file, write_atomically
from memtui_core.system.failures import failure_text

FORGET: Final = "forget"
UNDO: Final = "undo forget"
PURGE: Final = "purge"
SHRINK: Final = "shrink"
FORGET_KINDS: Final = (FORGET, UNDO, PURGE, SHRINK)
"""The kinds of requests about forgetting: `sessions` are forgotten (`keeps_away`: for good), those of an `id` brought
back or purged; of all sessions only that stays what the levels of `retention` keep."""
_REQUEST: Final = ".request.json"
_ANSWER: Final = ".answer.json"
_POLL: Final = 0.05
"""Seconds between two looks for an answer."""
_KEPT: Final = 86_400.0
"""Seconds after which an answer is removed for which nobody waited."""


@dataclass(frozen=True, slots=True)
class Request:
    """Something that is asked of the indexer."""

    id: str
    """Its place among all requests: ids have the order in which the requests were sent."""
    kind: str
    fields: Mapping[str, Any]
    """Values of JSON."""


class Requests:
    """The requests to the indexer of a data folder."""

    def __init__(self, data: DataDir, clock: Callable[[], int] = time.time_ns) -> None:
        """`clock` returns nanoseconds since 1970."""
        self._folder = data.requests
        self._clock = clock

    def send(self, kind: str, fields: Mapping[str, Any]) -> Request:
        """Ask the indexer for something. Raises MemtuiError if the request cannot be written."""
        # One that waits may be of a later time, if the clock was set back.
        waiting = [int(at) for name in self._ids(_REQUEST) if (at := name.partition("-")[0]).isdecimal()]
        number = max(self._clock(), max(waiting, default=0) + 1)
        request = Request(f"{number:020d}-{secrets.token_hex(4)}", kind, dict(fields))
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._remove_old_answers()
            content = orjson.dumps({"kind": kind, "fields": request.fields})
            write_atomically(self._path(request.id, _REQUEST), content, durable=True)
        except OSError as error:
            raise MemtuiError(failure_text(error, self._folder)) from error
        return request

    @property
    def has_pending(self) -> bool:
        """Whether something may be asked; costs the listing of a folder that is empty or missing most of the time."""
        return bool(self._ids(_REQUEST))

    def pending(self) -> list[Request]:
        """What was asked and is not answered yet, in the order in which it was sent; what is no request is removed."""
        requests = []
        for name in self._ids(_REQUEST):
            path = self._path(name, _REQUEST)
            try:
                content = orjson.loads(path.read_bytes())
                requests.append(Request(name, str(content["kind"]), dict(content["fields"])))
            except OSError:
                # It was answered or withdrawn in the meantime.
                continue
            except (ValueError, KeyError, TypeError):
                with suppress(OSError):
                    path.unlink()
        return requests

    def is_pending(self, request: Request) -> bool:
        """Whether a request is neither answered nor withdrawn."""
        return self._path(request.id, _REQUEST).exists()

    def answer(self, request: Request, fields: Mapping[str, Any]) -> None:
        """Answer a request, which ends it. Raises OSError."""
        write_atomically(self._path(request.id, _ANSWER), orjson.dumps(dict(fields)))
        remove_file(self._path(request.id, _REQUEST))

    def withdraw(self, request: Request) -> None:
        """End a request without an answer; an indexer that is serving it goes on."""
        for suffix in (_REQUEST, _ANSWER):
            with suppress(OSError):
                self._path(request.id, suffix).unlink()

    def take_answer(self, request: Request) -> dict[str, Any] | None:
        """The answer to a request, which is removed; None if there is none yet."""
        path = self._path(request.id, _ANSWER)
        try:
            content = orjson.loads(path.read_bytes())
        except (OSError, ValueError):
            return None
        with suppress(OSError):
            path.unlink()
        return content if isinstance(content, dict) else {}

    def wait(
        self, request: Request, timeout: float, stopped: Callable[[], bool] = lambda: False
    ) -> dict[str, Any] | None:
        """Wait for the answer to a request; None after `timeout` seconds, or when `stopped` returns True.

        The request stays then: send it again, withdraw it, or leave it to the next indexer.
        """
        until = time.monotonic() + timeout
        while (answer := self.take_answer(request)) is None and time.monotonic() < until and not stopped():
            time.sleep(_POLL)
        return answer

    def _path(self, name: str, suffix: str) -> Path:
        return self._folder / f"{name}{suffix}"

    def _ids(self, suffix: str) -> list[str]:
        try:
            with os.scandir(self._folder) as entries:
                return sorted(entry.name.removesuffix(suffix) for entry in entries if entry.name.endswith(suffix))
        except OSError:
            return []

    def _remove_old_answers(self) -> None:
        """Remove the answers for which nobody waits any more; one of the future counts as old: the clock was set."""
        for name in self._ids(_ANSWER):
            path = self._path(name, _ANSWER)
            with suppress(OSError):
                if not 0 <= time.time() - path.stat().st_mtime + 1 < _KEPT:
                    path.unlink()
