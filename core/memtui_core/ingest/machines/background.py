"""Pulls from all machines at intervals, in a thread beside the indexer.

Only the process that holds the lock of the index pulls. What goes wrong is in the state of the machine, which
`memtui machine list` and `memtui doctor` show.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Final

from memtui_core.errors import MemtuiError
from memtui_core.ingest.machines.declared import machines_of
from memtui_core.ingest.machines.pull import ask_for_repositories, pull
from memtui_core.ingest.machines.reaching.running import PullInterrupted
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir

PULL_SECONDS: Final = 300.0
"""Seconds between two pulls from a machine."""
_ENDING: Final = 2.0
"""Seconds that the thread has to end."""
_log = logging.getLogger(__name__)


class BackgroundPulls:
    """Pulls until it is left as a context. `located` lists the locations to index, with those in the mirrors.

    The first pull begins at once.
    """

    def __init__(self, data: DataDir, located: Callable[[], Sequence[Location]]) -> None:
        self.located = located
        self._data = data
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._brought = threading.Event()
        self._indexed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memtui-pull", daemon=True)

    def __enter__(self) -> BackgroundPulls:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._wake.set()
        self._thread.join(_ENDING)

    @property
    def has_news(self) -> bool:
        """Whether a pull has brought something since `take_news`."""
        return self._brought.is_set()

    def take_news(self) -> bool:
        """Whether a pull has brought something since the last call."""
        brought = self._brought.is_set()
        self._brought.clear()
        return brought

    def indexed(self) -> None:
        """What was brought is in the index, so that the repositories of its sessions can be asked for."""
        self._indexed.set()
        self._wake.set()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._pull_all()
            while not self._stop.is_set() and self._wake.wait(PULL_SECONDS):
                self._wake.clear()
                if self._indexed.is_set():
                    self._indexed.clear()
                    self._ask_all()

    def _pull_all(self) -> None:
        for machine in machines_of(self._data):
            if self._stop.is_set():
                return
            try:
                if pull(self._data, machine, self._stop.is_set, in_background=True).is_news:
                    self._brought.set()
            except PullInterrupted:
                return
            except MemtuiError as error:
                _log.info("No pull from %s: %s", machine.name, error)
            except Exception:
                _log.exception("The pull from %s failed", machine.name)

    def _ask_all(self) -> None:
        for machine in machines_of(self._data):
            try:
                ask_for_repositories(self._data, machine, self._stop.is_set)
            except PullInterrupted:
                return
            except MemtuiError as error:
                _log.info("No repositories from %s: %s", machine.name, error)
            except Exception:
                _log.exception("Asking %s for repositories failed", machine.name)
