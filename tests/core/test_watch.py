"""Following what agents write: soon for a reader, seldom for nobody."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from memtui_core.index import Index
from memtui_core.ingest import watch
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.vector_index_builder import VectorIndexBuilder
from memtui_core.ingest.watch import FileWatcher, watch_locations
from memtui_core.readers import registry
from memtui_core.readers.locations import Location
from memtui_core.store import vector_index_build
from memtui_core.store.files import DataDir
from memtui_core.store.manifest import read_manifest
from memtui_core.store.vector_index import read_entry
from support.made_up_agent import Brook
from support.publishing import Letters, bring_up_to_date
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


@pytest.mark.parametrize("mode", ["hnsw", "exact"])
def test_an_idle_indexer_has_the_vector_index_built(mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "IDLE", 0.0)
    monkeypatch.setattr(vector_index_build, "FEWEST_ASKED_FOR", 2)
    data, script, stop, tidied = DataDir(tmp_path / "data"), Script(), threading.Event(), threading.Event()
    for text in ("one", "two", "three"):
        script.user(text)
    script.write(tmp_path / "src")
    location = Location("claude-code", tmp_path / "src")

    class Builder(VectorIndexBuilder):
        """Says when it was asked."""

        def start_if_due(self) -> bool:
            started = super().start_if_due()
            tidied.set()
            return started

    def run() -> None:
        with Indexer(data.path) as indexer:
            bring_up_to_date(indexer, tmp_path / "src", Letters())
            watch_locations(indexer, [location], stop, Letters(), mode)

    monkeypatch.setattr(watch, "VectorIndexBuilder", Builder)
    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert tidied.wait(0.05 * LOOKS)
        for _ in range(LOOKS if mode == "hnsw" else 0):
            if read_entry(data) is not None:
                break
            stop.wait(0.05)
    finally:
        stop.set()
        thread.join()
    entry = read_entry(data)
    assert (entry.size if entry else None) == (3 if mode == "hnsw" else None)


def test_of_a_location_that_is_a_file_only_the_file_and_its_log_are_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_readers", [Brook()])
    database, noise = tmp_path / "brook.db", tmp_path / "snapshot" / "deep"
    noise.mkdir(parents=True)
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE sessions (id)")
    stop = threading.Event()

    def write() -> None:
        while not stop.wait(0.02):
            (noise / "object").write_text("x")
            (tmp_path / "other.log").write_text("x")
            database.with_name("brook.db-wal").write_text("x")

    writer = threading.Thread(target=write)
    with FileWatcher([Location("brook", database), Location("brook", tmp_path / "not" / "there")]) as watcher:
        writer.start()
        try:
            assert watcher.happened.wait(60)
        finally:
            stop.set()
            writer.join()
        assert watcher.take() == [database.with_name("brook.db-wal")]
    connection.close()
