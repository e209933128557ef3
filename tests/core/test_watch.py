"""Following what agents write: soon for a reader, seldom for nobody."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from memtui_core.index import Index
from memtui_core.ingest import watch
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.watch import watch_locations
from memtui_core.readers.locations import Location
from memtui_core.store.files import DataDir
from memtui_core.store.manifest import read_manifest
from support.transcripts import Script

LOOKS = 600
"""Each of 50 ms at most; far more than are needed on a busy machine."""


def batch_of(data: DataDir) -> int:
    manifest = read_manifest(data)
    return manifest.batch if manifest else 0


def test_a_change_that_waits_for_nobody_comes_at_once_when_somebody_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "UNWATCHED_PAUSE", 10_000.0)
    monkeypatch.setattr(watch, "RESCAN_SECONDS", 10_000.0)
    data, script, stop = DataDir(tmp_path / "data"), Script(), threading.Event()
    waiting, held_back = threading.Event(), threading.Event()
    script.user("one")
    path = script.write(tmp_path / "src")
    location = Location("claude-code", tmp_path / "src")

    def run() -> None:
        with Indexer(data.path) as indexer:
            for _ in indexer.update([location]):
                pass
            watch_locations(indexer, [location], stop)

    class Waits(watch._Watch):
        """Says when everything was looked at once, and when a change has come and is held back."""

        def _wait(self) -> None:
            waiting.set()
            if self._watcher.happened.is_set():
                held_back.set()
            super()._wait()

    monkeypatch.setattr(watch, "_Watch", Waits)
    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert waiting.wait(0.05 * LOOKS)
        first = batch_of(data)
        assert first
        data.readers.touch()
        os.utime(data.readers, (1, 1))
        script.says("an answer")
        for _ in range(LOOKS):
            # Events of a file system may be lost before the watcher is ready.
            path.write_bytes(script.bytes())
            if held_back.wait(0.05):
                break
        assert held_back.is_set()
        assert batch_of(data) == first
        data.readers.touch()
        for _ in range(LOOKS):
            if batch_of(data) > first:
                break
            stop.wait(0.05)
        assert [hit.turn for hit in Index.open(data.path).search("answer").hits] == [1]
    finally:
        stop.set()
        thread.join()
