"""Jobs in threads for a screen: of those that replace each other only the newest runs, and failures are reported."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from textual.dom import DOMNode

from memtui import messages
from memtui.logs import log_failure
from memtui_core.system.failures import failure_text

Result = TypeVar("Result")
_Job = Callable[[], object]
_log = logging.getLogger(__name__)


class JobCancelled(Exception):
    """A newer job has replaced the one that runs: it ends without an answer."""


class LatestJobQueue:
    """Runs one job at a time; of those that come meanwhile only the newest waits.

    A thread cannot be stopped, so answers would else pile up, and an old one could come after a newer one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: _Job | None = None
        self._busy = False

    def put(self, job: _Job) -> bool:
        """Queue a job in place of the one that waits; True when the caller must run `drain` in a thread."""
        with self._lock:
            self._waiting = job
            was_busy, self._busy = self._busy, True
            return not was_busy

    def drain(self) -> None:
        """Run jobs until none waits."""
        while True:
            with self._lock:
                job, self._waiting = self._waiting, None
                if job is None:
                    self._busy = False
                    return
            job()


class JobRunner:
    """Runs jobs in threads for a screen; answers and failures arrive among its messages.

    `data_dir` names the folder of the index in the texts of failures.
    """

    def __init__(self, host: DOMNode, data_dir: Path) -> None:
        self._host = host
        self._data_dir = data_dir
        self._queues: dict[str, LatestJobQueue] = {}

    def run(self, job: Callable[[], Result], answer: Callable[[Result], object], *, queue: str = "") -> None:
        """Run a job in a thread and call `answer` with its result; to be called on the event loop.

        While a job of the same `queue` runs, only the newest of that queue waits; without one, jobs run side by side.
        A job that raises JobCancelled has no answer; any other exception is reported as `messages.Failed`.
        """
        self.run_stream(lambda: iter([job()]), answer, queue=queue)

    def run_stream(
        self, job: Callable[[], Iterable[Result]], answer: Callable[[Result], object], *, queue: str = ""
    ) -> None:
        """The same for a job with several results, each passed on when it comes."""

        def work() -> None:
            try:
                for result in job():
                    self.deliver(answer, result)
            except JobCancelled:
                return
            except Exception as error:
                # DuckDB raises this, which is no public class, when the app ends while a query runs.
                if type(error).__name__ != "InterruptException":
                    text = failure_text(error, self._data_dir)
                    log_failure(_log, error, text)
                    self._host.post_message(messages.Failed(text))

        if not queue:
            self._start(work)
        elif (latest := self._queues.setdefault(queue, LatestJobQueue())).put(work):
            self._start(latest.drain)

    def deliver(self, answer: Callable[[Result], object], result: Result) -> None:
        """Call `answer` among the host's messages; from any thread."""
        self._host.call_later(answer, result)

    def _start(self, work: _Job) -> None:
        self._host.run_worker(work, thread=True, exit_on_error=False)
