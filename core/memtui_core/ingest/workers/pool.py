"""The worker processes that prepare transcripts, in the order in which the transcripts will be merged.

A worker prepares one transcript at a time and knows nothing of the index. If it dies, nothing is lost: this process
reads its transcript. Workers read from a pipe and end when it is closed, also if this process dies.
"""

from __future__ import annotations

import logging
import pickle
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Condition, Thread
from typing import Final

from memtui_core.ingest.discover import Pending
from memtui_core.ingest.machines.origin import machine_of_source
from memtui_core.ingest.sources.entries import EntryKey
from memtui_core.ingest.sources.source_ingest import Stopped
from memtui_core.ingest.workers.prepared_transcript import LARGEST, NO_FOREIGN_ENTRIES, PreparedSource
from memtui_core.readers.base import Transcript
from memtui_core.readers.exclusions import KEEP_ALL, Exclusions, RetentionRules
from memtui_core.readers.formats.databases import DatabaseReader
from memtui_core.readers.registry import reader_of
from memtui_core.store.data_folder import DataDir

_log = logging.getLogger(__name__)
WORTH_A_PROCESS: Final = 4_000_000
"""Bytes of transcripts for which a process is worth starting: that takes as long as preparing so many."""
MOST_IN_MEMORY: Final = 32_000_000
"""The most bytes of transcripts that are being prepared or wait to be merged."""
_POLL: Final = 0.05
"""Seconds between two checks for cancellation."""
WORKER: Final = ("-P", "-m", "memtui_core.ingest.workers.process")
"""The arguments of Python for a worker; -P: nothing is imported from the current folder."""


Foreign = Mapping[EntryKey, int]
"""Entries that belong to other transcripts, with their sessions in the index."""


class Preparation:
    """Prepares the new ones of some transcripts in at most `processes` processes; none if there is work for only one.

    `data` is the index, which tells the transcripts that were copied from other machines.

    Call `take` for the transcripts in their order, and `close` at the end.
    """

    def __init__(
        self,
        pending: Sequence[Pending],
        processes: int,
        exclusions: Exclusions,
        data: DataDir | None = None,
        retention: RetentionRules = KEEP_ALL,
    ) -> None:
        self._bytes = _bytes_of([item.transcript for item in pending if _can_be_prepared(item)])
        count = min(processes, sum(self._bytes.values()) // WORTH_A_PROCESS)
        self._todo = deque(self._bytes if count > 1 else ())
        self._urgent: deque[tuple[Transcript, Foreign]] = deque()
        """Transcripts that come before all others, because the caller waits for them."""
        self._expected = {transcript.name for transcript in self._todo}
        self._prepared: dict[str, PreparedSource | None] = {}
        self._in_memory = 0
        self._rules = exclusions, retention
        self._data = data
        self._closed = False
        self._changed = Condition()
        self._processes = _start(count) if count > 1 else []
        self._alive = len(self._processes)
        self._threads = [Thread(target=self._serve, args=(process,), daemon=True) for process in self._processes]
        for thread in self._threads:
            thread.start()

    @property
    def pids(self) -> list[int]:
        """The ids of the processes that were started."""
        return [process.pid for process in self._processes]

    def take(self, transcript: Transcript, stopped: Callable[[], bool]) -> PreparedSource | None:
        """The prepared transcript, waiting for it; None if this process must read it. Raises Stopped."""
        if transcript.name not in self._expected:
            return None
        self._expected.remove(transcript.name)
        prepared, is_answered = self._wait(transcript, stopped)
        if is_answered:
            with self._changed:
                self._in_memory -= self._bytes[transcript]
                self._changed.notify_all()
        return prepared

    def prepare_without(
        self, transcript: Transcript, foreign: Foreign, stopped: Callable[[], bool]
    ) -> PreparedSource | None:
        """Prepare a transcript before all others, without its foreign entries; None as for `take`. Raises Stopped."""
        with self._changed:
            self._urgent.append((transcript, foreign))
            self._changed.notify_all()
        return self._wait(transcript, stopped)[0]

    def _wait(self, transcript: Transcript, stopped: Callable[[], bool]) -> tuple[PreparedSource | None, bool]:
        """The prepared transcript, and whether a worker has answered: if all have died, none will. Raises Stopped."""
        with self._changed:
            while transcript.name not in self._prepared:
                if not self._alive:
                    return None, False
                if stopped():
                    raise Stopped
                self._changed.wait(_POLL)
            return self._prepared.pop(transcript.name), True

    def close(self) -> None:
        """End the processes; what they have not finished is lost."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for process in self._processes:
            process.kill()
        for process, thread in zip(self._processes, self._threads, strict=True):
            thread.join()
            for pipe in (process.stdin, process.stdout):
                # What is left in the buffer of a pipe cannot be written to a process that has ended.
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            process.wait()

    def _serve(self, process: subprocess.Popen[bytes]) -> None:
        """Give a worker one transcript after the other, until it ends or is not needed any more."""
        is_alive = True
        while is_alive and (task := self._next()) is not None:
            (transcript, foreign), prepared = task, None
            try:
                machine = machine_of_source(self._data, transcript.name) if self._data is not None else ""
                prepared = _prepare_by(process, transcript, self._rules, foreign, machine)
            except Exception as error:
                # The answer of a process that is ending may be cut anywhere.
                is_alive = False
                if not self._closed:
                    _log.warning("A process that reads transcripts has ended: %s", error or "its pipe was closed")
            with self._changed:
                self._prepared[transcript.name] = prepared
                self._changed.notify_all()
        with self._changed:
            self._alive -= 1
            self._changed.notify_all()

    def _next(self) -> tuple[Transcript, Foreign] | None:
        """Wait for the next transcript and for room in memory; None when the processes are to end."""
        with self._changed:
            while not (self._closed or self._urgent or (self._todo and self._in_memory <= MOST_IN_MEMORY)):
                self._changed.wait()
            if self._closed:
                return None
            if self._urgent:
                return self._urgent.popleft()
            transcript = self._todo.popleft()
            self._in_memory += self._bytes[transcript]
            return transcript, NO_FOREIGN_ENTRIES


def _can_be_prepared(item: Pending) -> bool:
    """Whether a transcript is new, and can be read without the others in its file."""
    transcript = item.transcript
    return item.known is None and (not transcript.part or _is_in_database(transcript))


def _is_in_database(transcript: Transcript) -> bool:
    reader = reader_of(transcript.agent)
    return isinstance(reader, DatabaseReader) and reader.is_database(transcript.path)


def _bytes_of(transcripts: Sequence[Transcript]) -> dict[Transcript, int]:
    """The bytes of transcripts, without those that do not fit into memory; of a session its share of the database."""
    in_database: Counter[Path] = Counter()
    for transcript in transcripts:
        if transcript.part:
            in_database[transcript.path] += transcript.size
    unit = {path: _size_of(path) / max(1, total) for path, total in in_database.items()}
    sizes = {one: round(one.size * unit[one.path]) if one.part else one.size for one in transcripts}
    return {transcript: size for transcript, size in sizes.items() if size <= LARGEST}


def _size_of(path: Path) -> int:
    """The bytes of a file; 0 if it cannot be read, which whoever reads it reports."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _start(count: int) -> list[subprocess.Popen[bytes]]:
    """Start some processes, or as many as the system allows."""
    started: list[subprocess.Popen[bytes]] = []
    try:
        while len(started) < count:
            process = subprocess.Popen(
                [sys.executable, *WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            started.append(process)
    except OSError as error:
        _log.warning("A process that reads transcripts could not be started: %s", error)
    return started


def _prepare_by(
    process: subprocess.Popen[bytes],
    transcript: Transcript,
    rules: tuple[Exclusions, RetentionRules],
    foreign: Foreign,
    machine: str,
) -> PreparedSource | None:
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        raise EOFError
    pickle.dump((transcript, *rules, foreign, machine), stdin)
    stdin.flush()
    prepared: PreparedSource | None = pickle.load(stdout)
    return prepared
