"""An idle watcher archives transcripts, and goes on if that fails."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui_core.ingest import watch
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.kept.transcripts import TranscriptKeeper
from memtui_core.ingest.watch import watch_locations
from memtui_core.readers.locations import Location
from memtui_core.store.archive.transcripts import TranscriptArchive
from memtui_core.store.data_folder import DataDir
from memtui_core.system.fault_points import arm
from support.archives import age
from support.transcripts import Script


@pytest.mark.parametrize("fault", ["", "transcripts-archived:full"])
def test_what_rests_is_archived_while_nothing_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    monkeypatch.setattr(watch, "IDLE", 0.0)
    stop, script = threading.Event(), Script()
    script.user("Retry the upload")
    path = script.write(tmp_path / "projects")
    age(path, 1)
    location = Location("claude-code", tmp_path / "projects")

    class Stops(TranscriptKeeper):
        """Ends the watch when everything was tried once."""

        def archive_settled(self, stopped: Callable[[], bool] = lambda: False) -> int:
            try:
                return super().archive_settled(stopped)
            finally:
                stop.set()

    with Indexer(tmp_path / "data") as indexer:
        for _ in indexer.update([location]):
            pass
        arm(fault)
        try:
            keeper = Stops(indexer.work, indexer.data, [location])
            watch_locations(indexer, [location], stop, keeper=keeper)
        finally:
            arm("")
    assert list(TranscriptArchive(DataDir(tmp_path / "data")).files()) == [path]
    warnings = [record.getMessage() for record in caplog.records if "not archived" in record.getMessage()]
    assert [("is full" in text) for text in warnings] == [True] * bool(fault)
