"""Jobs in threads: which of them runs, and that a failure is told."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from textual.message import Message

from memtui import messages
from memtui_core.system.failures import failure_text

Post = Callable[[Message], object]
Job = Callable[[], None]


class Lane:
    """Runs one job at a time; of those that come meanwhile only the newest waits.

    A thread cannot be stopped, so answers would else pile up, and an old one could come after a newer one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: Job | None = None
        self._busy = False

    def put(self, job: Job) -> bool:
        """Leave a job; True when the caller must start `drain` in a thread."""
        with self._lock:
            self._waiting = job
            started, self._busy = not self._busy, True
            return started

    def drain(self) -> None:
        """Run until nothing waits."""
        while True:
            with self._lock:
                job, self._waiting = self._waiting, None
                if job is None:
                    self._busy = False
                    return
            job()


def told(post: Post, job: Job, folder: Path) -> Job:
    """A job on a data folder whose failure is told to the person instead of ending the app."""

    def run() -> None:
        try:
            job()
        except Exception as error:
            if type(error).__name__ != "InterruptException":
                post(messages.Failed(failure_text(error, folder)))

    return run
