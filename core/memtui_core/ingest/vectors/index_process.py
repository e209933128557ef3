"""The process that builds the vector index, and the object that starts it when a new one is due.

It is `python -m memtui_core.ingest.vectors.index_process FOLDER`. It has a low priority and may be killed at any time.
It ends when its standard input is closed, so that it does not outlive the indexer that started it. If it makes no
index, it prints the reason.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import _duckdb

from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.vectors.index_entry import BUILDING_EVERY, IndexEntry, building_path, read_entry
from memtui_core.store.vectors.index_rules import is_due
from memtui_core.store.vectors.vss import VssUnavailable, engine_version, vss_problem
from memtui_core.system.machine import lower_priority, processors
from memtui_core.system.processes.ending import end_with_starter

_log = logging.getLogger(__name__)


class VectorIndexBuilder:
    """Builds the index in another process, one at a time, so that the indexer can go on.

    `mode` is the setting `vectors`: "auto", "hnsw" or "exact".
    """

    def __init__(self, data: DataDir, mode: str = "auto") -> None:
        self._data = data
        self._mode = mode
        self._process: subprocess.Popen[bytes] | None = None
        self._whole: IndexEntry | None = None
        """An index of which all bytes were read, and are as they were written."""

    def start_if_due(self, *, reads_all: bool = True) -> bool:
        """Start a process if the snapshot has many vectors that the index lacks, or if the index is damaged.

        Returns whether one was started. Without `reads_all`, only a missing or shortened index counts as damaged: all
        of a large one takes up to a second to be read.
        """
        manifest = read_manifest(self._data)
        vectors = manifest.vectors if manifest else None
        entry = self._whole_index() if reads_all else read_entry(self._data)
        if self.running or not is_due(entry, vectors, self._mode, engine_version()):
            return False
        if problem := self.wait():
            _log.warning("The vector index could not be built: %s", problem)
        if problem := vss_problem():
            _log.info("no vector index: %s", problem)
            return False
        command = [sys.executable, "-P", "-m", "memtui_core.ingest.vectors.index_process", str(self._data.path)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        return True

    def _whole_index(self) -> IndexEntry | None:
        """The newest index; None if there is none or it is damaged, for which it is read once."""
        entry = read_entry(self._data)
        if entry is None or entry == self._whole:
            return entry
        self._whole = entry if entry.is_whole(self._data) else None
        return self._whole

    @property
    def running(self) -> bool:
        """Whether a process builds."""
        return self._process is not None and self._process.poll() is None

    def wait(self) -> str:
        """Wait for the end of the process, and return why it built no index; empty if it did, or if there is none."""
        process, self._process = self._process, None
        if process is None:
            return ""
        assert process.stdin is not None
        assert process.stderr is not None
        # Its input stays open until it has ended, because a closed one means that the indexer is gone.
        with process, process.stderr, process.stdin:
            return process.stderr.read().decode(errors="replace").strip()

    def close(self) -> None:
        """End the process, if one runs; what it has not finished is lost."""
        if self._process is not None:
            self._process.kill()
            self.wait()


def main() -> None:
    """Build the index of a data folder; exit with the code 1 if that is not possible."""
    end_with_starter()
    lower_priority()
    data = DataDir(Path(sys.argv[1]))
    try:
        with _shown(data):
            # What it needs takes memory, which the indexer that waits is to be spared.
            from memtui_core.store.vectors.hnsw_building import build_index

            build_index(data, threads=max(1, processors() // 2))
    except (VssUnavailable, _duckdb.Error, OSError, ValueError, MemoryError) as error:
        sys.exit(str(error).split("\n", 1)[0] or "too little memory")


@contextmanager
def _shown(data: DataDir) -> Iterator[None]:
    """Let others see that an index is being built."""
    path, ended = building_path(data), threading.Event()

    def touch() -> None:
        while not ended.wait(BUILDING_EVERY):
            path.touch()

    path.parent.mkdir(exist_ok=True)
    path.touch()
    toucher = threading.Thread(target=touch)
    toucher.start()
    try:
        yield
    finally:
        ended.set()
        toucher.join()
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
