"""Jobs in threads for a screen: latest-job queues, and the report of failures."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from textual.dom import DOMNode

from memtui.services import messages
from memtui.system.logs import log_failure
from memtui_core.system.failures import failure_text

Result = TypeVar("Result")
_Job = Callable[[], object]
_log = logging.getLogger(__name__)


class JobCancelled(Exception):
    """Raised in a job that a newer one has replaced: the job ends without a result."""


class LatestJobQueue:
    """Runs one job at a time; of the jobs added in the meantime only the newest waits.

    Without the queue jobs would pile up, because a thread cannot be stopped, and an old result could arrive after a
    newer one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: _Job | None = None
        self._busy = False

    def put(self, job: _Job) -> bool:
        """Add a job, replacing the one that waits; True if the caller must run `drain` in a thread."""
        with self._lock:
            self._waiting = job
            was_busy, self._busy = self._busy, True
            return not was_busy

    def drain(self) -> None:
        """Run jobs until none is waiting."""
        while True:
            with self._lock:
                job, self._waiting = self._waiting, None
                if job is None:
                    self._busy = False
                    return
            job()


class JobRunner:
    """Runs jobs in threads for a screen; results and failures arrive among its messages.

    `data_dir` is the data folder, for the messages of failures.
    """

    def __init__(self, host: DOMNode, data_dir: Path) -> None:
        self._host = host
        self._data_dir = data_dir
        self._queues: dict[str, LatestJobQueue] = {}

    def run(self, job: Callable[[], Result], on_result: Callable[[Result], object], *, queue: str = "") -> None:
        """Run a job in a thread and call `on_result` with its result; must be called on the event loop.

        With a `queue` the job runs in the latest-job queue of that name, without one in parallel to all others. A job
        that raises JobCancelled has no result; any other exception is posted as `messages.JobFailed`.
        """
        self.run_stream(lambda: iter([job()]), on_result, queue=queue)

    def run_stream(
        self, job: Callable[[], Iterable[Result]], on_result: Callable[[Result], object], *, queue: str = ""
    ) -> None:
        """Like `run`, for a job with several results: `on_result` is called with each when it is available."""

        def run_job() -> None:
            try:
                for result in job():
                    self.deliver(on_result, result)
            except JobCancelled:
                return
            except Exception as error:
                # DuckDB raises this class, which is not public, when the app ends while a query runs.
                if type(error).__name__ != "InterruptException":
                    text = failure_text(error, self._data_dir)
                    log_failure(_log, error, text)
                    self._host.post_message(messages.JobFailed(text))

        if not queue:
            self._start(run_job)
        elif (latest := self._queues.setdefault(queue, LatestJobQueue())).put(run_job):
            self._start(latest.drain)

    def deliver(self, on_result: Callable[[Result], object], result: Result) -> None:
        """Call `on_result` among the messages of the host; may be called from any thread."""
        self._host.call_later(on_result, result)

    def _start(self, job: _Job) -> None:
        self._host.run_worker(job, thread=True, exit_on_error=False)
