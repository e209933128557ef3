"""`memtui index` beside a process that watches: that has the lock, so it does the work, and answers what it did."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from memtui_core.errors import MemtuiError
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.writing.index_writer import Counts
from memtui_core.model import Progress
from memtui_core.readers.locations import Location, chosen_locations
from memtui_core.store.data_folder import DataDir
from memtui_core.store.processes import read_progress
from memtui_core.store.requests import Request, Requests
from memtui_core.store.work.lock import is_at_work
from memtui_core.system.failures import failure_text

INDEX: Final = "index"
"""The kind of these requests."""
_POLL: Final = 0.2
"""Seconds between two looks at the progress of the other process."""


class IndexRequests:
    """Serves these requests by an indexer that watches."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer
        self._requests = Requests(indexer.data)

    @property
    def is_due(self) -> bool:
        """Whether somebody asks; costs the listing of a folder that is empty or missing most of the time."""
        return self._requests.has_pending and bool(self._pending())

    def serve(self, update: Callable[[Sequence[Location]], object], stopped: Callable[[], bool]) -> None:
        """Update what is asked for, nothing for everything, and answer; what is stopped is asked for again."""
        for request in self._pending():
            counts = self._indexer.counts
            before = counts.files_read, counts.turns_written
            sources = [Path(source) for source in request.fields.get("sources") or ()]
            answer: dict[str, Any] = {}
            try:
                update(chosen_locations(sources, request.fields.get("agent")) if sources else [])
            except (MemtuiError, OSError) as error:
                answer["error"] = failure_text(error, self._indexer.data.path)
            if stopped():
                return
            answer |= {"files_read": counts.files_read - before[0], "turns_written": counts.turns_written - before[1]}
            self._requests.answer(request, answer)

    def _pending(self) -> list[Request]:
        return [one for one in self._requests.pending() if one.kind == INDEX]


def hand_over(
    data: DataDir, sources: Sequence[Path], agent: str | None, patience: float, stopped: Callable[[], bool]
) -> Iterator[Progress | Counts]:
    """Let the process that indexes do the work: yields its progress, and at the end what it did.

    Yields nothing more if it does not answer: it has ended or was stopped, `stopped` returns True, or it has reported
    no progress for `patience` seconds. Then the work is still to be done. Raises MemtuiError if it failed.
    """
    requests = Requests(data)
    given = [str(source.expanduser().absolute()) for source in sources]
    request = requests.send(INDEX, {"sources": given, "agent": agent})
    try:
        reported, since = read_progress(data.path), time.monotonic()
        while not stopped() and time.monotonic() - since < patience and is_at_work(data):
            answer = requests.wait(request, _POLL, stopped)
            if answer is not None:
                if "error" in answer:
                    raise MemtuiError(str(answer["error"]))
                yield Counts(files_read=int(answer["files_read"]), turns_written=int(answer["turns_written"]))
                return
            if (progress := read_progress(data.path)) is not None and progress != reported:
                reported, since = progress, time.monotonic()
                yield progress
    finally:
        requests.withdraw(request)
