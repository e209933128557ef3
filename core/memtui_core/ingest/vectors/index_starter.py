"""Starts the process that builds the HNSW index of the vectors, when a new one is due."""

from __future__ import annotations

import logging
import subprocess
import sys

from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.vectors.hnsw import read_entry
from memtui_core.store.vectors.hnsw_building import is_due
from memtui_core.store.vectors.vss import vss_problem

_log = logging.getLogger(__name__)


class VectorIndexBuilder:
    """Builds the index in another process, one at a time, so that the indexer can go on.

    `mode` is the setting `vectors`: "auto", "hnsw" or "exact".
    """

    def __init__(self, data: DataDir, mode: str = "auto") -> None:
        self._data = data
        self._mode = mode
        self._process: subprocess.Popen[bytes] | None = None

    def start_if_due(self) -> bool:
        """Start a process if the snapshot has many vectors that the index lacks; returns whether one was started."""
        manifest = read_manifest(self._data)
        vectors = manifest.vectors if manifest else None
        asked_for = self._mode == "hnsw"
        if self._mode == "exact" or self.running or not is_due(read_entry(self._data), vectors, asked_for=asked_for):
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
