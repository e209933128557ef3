"""The vector index: what it answers, who builds it, and what is left when the builder is killed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import _duckdb
import numpy as np
import pytest

from bench.vectors import invented as invent
from memtui_core.ingest.vectors import index_process
from memtui_core.ingest.vectors.index_process import VectorIndexBuilder
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import Manifest, SnapshotVectors, write_manifest
from memtui_core.store.vectors import hnsw_building
from memtui_core.store.vectors.hnsw import MOST_FOUND, VectorIndex, candidates
from memtui_core.store.vectors.hnsw_building import build_index
from memtui_core.store.vectors.index_entry import (
    IndexEntry,
    building_path,
    current_path,
    index_path,
    is_being_built,
    read_entry,
    remove_indexes,
    write_entry,
)
from memtui_core.store.vectors.index_rules import is_due, lacks_most
from memtui_core.store.vectors.vss import CONFIG, VssUnavailable, engine_version, load_vss, missing_vss, vss_problem
from support.dying import Processes
from support.vector_indexes import ask_from_eight_threads, build_and_die, publish_vectors

COUNT = 5_000
FEW = 200
invented = lru_cache(invent)


@pytest.fixture(scope="module", autouse=True)
def _unchecked() -> Iterator[None]:
    """Each connection would check the signature of the extension for a tenth of a second, as it does elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(CONFIG, "allow_unsigned_extensions", True)
        yield


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> DataDir:
    """An index of 5,000 vectors, which no test changes."""
    data = publish_vectors(tmp_path_factory.mktemp("built"), invented(COUNT, 1))
    assert build_index(data) is not None
    return data


def opened(data: DataDir) -> VectorIndex:
    entry = read_entry(data)
    assert entry is not None
    return VectorIndex(data, entry)


def names(data: DataDir) -> list[str]:
    return sorted(path.name for path in data.vector_index.iterdir())


@pytest.mark.spec("S5.9")
def test_a_query_is_answered_from_the_index_and_nothing_else(built: DataDir) -> None:
    index, vector = opened(built), invented(1, 2)[0]
    [(_, plan)] = index._connection.execute(f"EXPLAIN {index.statement(vector, 10)}").fetchall()
    assert "HNSW_INDEX_SCAN" in plan
    assert "SEQ_SCAN" not in plan
    assert len(index.nearest(vector, 10_000)) == MOST_FOUND
    assert index.hashes().tolist() == list(range(COUNT))
    with _duckdb.connect(str(index.entry.path(built)), read_only=True, config=CONFIG) as connection:
        load_vss(connection)
        found = connection.execute("SELECT metric, dimensions, count FROM pragma_hnsw_index_info()").fetchall()
    assert found == [("ip", 256, COUNT)]


@pytest.mark.parametrize(("few", "dimensions"), [(300, 128), (301, 256)])
def test_an_index_of_many_vectors_keeps_fewer_dimensions(
    few: int, dimensions: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hnsw_building, "_FEW", few)
    data = publish_vectors(tmp_path, invented(300, 1))
    assert build_index(data) is not None
    index = opened(data)
    assert index.nearest(invented(300, 1)[17], 1).tolist() == [17]
    assert len(index._axes) == dimensions


def test_the_first_ten_are_those_of_the_exact_products(built: DataDir) -> None:
    index, vectors = opened(built), invented(COUNT, 1)
    shares = []
    for vector in invented(50, 2):
        found = index.nearest(vector, MOST_FOUND)
        best = found[np.argsort(-(vectors[found] @ vector))[:10]]
        shares.append(len({*best.tolist()} & {*np.argsort(-(vectors @ vector))[:10].tolist()}) / 10)
    assert sum(shares) / len(shares) >= 0.95


def test_how_few_are_asked_for_changes_nothing(built: DataDir) -> None:
    index, vectors = opened(built), invented(300, 2)
    assert [index.nearest(vector, 1)[0] for vector in vectors] == [
        index.nearest(vector, MOST_FOUND)[0] for vector in vectors
    ]


@pytest.mark.parametrize(("size", "count"), [(20_000, 512), (600_000, 600), (1_000_000, 1000)])
def test_a_search_of_a_larger_index_keeps_more_candidates(size: int, count: int) -> None:
    assert candidates(size) == count


def test_eight_threads_at_once(built: DataDir, processes: Processes) -> None:
    """In a process of its own: without the lock it crashes."""
    assert processes.run(ask_from_eight_threads, built) == 0


ENTRY = IndexEntry(1, 100, 99, "1.5", 1, "letters", 26, 30_000, 7, 0.0)


@pytest.mark.parametrize(
    ("entry", "size", "model", "mode", "due"),
    [
        (None, 1_999, "letters", "auto", False),
        (None, 2_000, "letters", "auto", True),
        (None, 2_000_000, "letters", "exact", False),
        (None, 0, "letters", "hnsw", False),
        (None, 1, "letters", "hnsw", True),
        (ENTRY, 32_999, "letters", "auto", False),
        (ENTRY, 33_000, "letters", "auto", True),
        (ENTRY, 27_001, "letters", "auto", False),
        (ENTRY, 27_000, "letters", "auto", True),
        (ENTRY, 30_000, "numbers", "auto", True),
        (ENTRY._replace(engine="1.6"), 30_000, "letters", "auto", True),
        (ENTRY._replace(size=2_500), 3_499, "letters", "auto", False),
        (ENTRY._replace(size=2_500), 3_500, "letters", "auto", True),
        (ENTRY._replace(size=2_500), 1_400, "letters", "auto", False),
    ],
)
def test_when_an_index_is_due(entry: IndexEntry | None, size: int, model: str, mode: str, due: bool) -> None:
    assert is_due(entry, SnapshotVectors(1, model, 26, size), mode, "1.5") == due


def test_a_growing_history_has_ever_rarer_builds_and_none_of_its_indexes_lacks_most() -> None:
    """Of 100 vectors more each time, from the first to 40,000."""
    entry, built, unused = None, list[int](), list[int]()
    for size in range(100, 40_001, 100):
        if is_due(entry, SnapshotVectors(1, "letters", 26, size), "auto", "1.5"):
            entry = ENTRY._replace(size=size)
            built.append(size)
        if entry is not None and lacks_most(entry.size, size):
            unused.append(size)
    assert built == [
        *range(2_000, 10_001, 1_000), 11_000, 12_100, 13_400, 14_800, 16_300, 18_000, 19_800, 21_800, 24_000, 26_400,
        29_100, 32_100, 35_400, 39_000,
    ]  # fmt: skip
    assert unused == []
    assert [lacks_most(1_000, size) for size in (1_000, 2_000, 2_001)] == [False, False, True]


def test_without_vectors_no_index_is_due_or_built(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    assert not is_due(None, None, "hnsw", "1.5")
    assert build_index(data) is None
    data.snapshots.mkdir()
    write_manifest(data, Manifest(1, 1))
    assert (build_index(data), data.vector_index.exists()) == (None, False)


def test_the_newest_index_and_the_one_before_are_kept(tmp_path: Path) -> None:
    data = publish_vectors(tmp_path, invented(300, 1))
    entries = [build_index(data)]
    reader = opened(data)
    before = reader.nearest(invented(1, 2)[0], 20).tolist()
    for first in (300, 600):
        publish_vectors(tmp_path, invented(300, first), first)
        (data.vector_index / "vectors-9.duckdb.part").write_bytes(b"left by a process that was killed")
        entries.append(build_index(data))
    assert names(data) == ["CURRENT", "vectors-2.duckdb", "vectors-3.duckdb"]
    assert [entry and (entry.number, entry.size, entry.last_hash) for entry in entries] == [
        (1, 300, 299),
        (2, 600, 599),
        (3, 900, 899),
    ]
    assert read_entry(data) == entries[-1]
    # Whoever has opened an index goes on with it.
    assert reader.nearest(invented(1, 2)[0], 20).tolist() == before


def test_vectors_that_were_replaced_meanwhile_leave_no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that was forgotten must not stay in an index."""
    data = publish_vectors(tmp_path, invented(300, 1))

    def forget_first(data: DataDir, entry: IndexEntry) -> None:
        publish_vectors(tmp_path, invented(200, 1), file=2)
        write_entry(data, entry)

    monkeypatch.setattr(hnsw_building, "write_entry", forget_first)
    assert (build_index(data), names(data), read_entry(data)) == (None, [], None)


@pytest.mark.parametrize("damage", ["short", "gone", "unnamed", "garbled", "of another kind", "other bytes"])
def test_a_damaged_index_is_none_and_is_due_again(damage: str, grown: dict[int, Path], tmp_path: Path) -> None:
    data = DataDir(shutil.copytree(grown[300], tmp_path / "data"))
    entry = read_entry(data)
    assert entry is not None
    if damage == "short":
        os.truncate(entry.path(data), entry.bytes - 1)
    elif damage == "gone":
        entry.path(data).unlink()
    elif damage == "unnamed":
        current_path(data).unlink()
    elif damage == "garbled":
        current_path(data).write_bytes(b"{")
    elif damage == "of another kind":
        current_path(data).write_text(json.dumps(entry._asdict() | {"bytes": str(entry.bytes)}))
    else:
        content = bytearray(entry.path(data).read_bytes())
        content[entry.bytes // 2] ^= 1
        entry.path(data).write_bytes(content)
    # To read all of it is for the indexer, once.
    assert read_entry(data) == (entry if damage == "other bytes" else None)
    assert entry.is_whole(data) == (damage in {"unnamed", "garbled", "of another kind"})
    builder = VectorIndexBuilder(data, "hnsw")
    assert builder.start_if_due(reads_all=False) == (damage != "other bytes")
    builder.close()
    assert builder.start_if_due()
    builder.close()
    assert build_index(data) is not None
    assert len(opened(data).nearest(invented(1, 2)[0], 20)) == 20


def test_the_builder_is_started_once_and_only_when_it_is_due(tmp_path: Path) -> None:
    data = publish_vectors(tmp_path, invented(FEW, 1))
    assert not VectorIndexBuilder(data, "auto").start_if_due()
    assert not VectorIndexBuilder(data, "exact").start_if_due()
    builder = VectorIndexBuilder(data, "hnsw")
    assert [builder.start_if_due(), builder.running, builder.start_if_due()] == [True, True, False]
    assert (builder.wait(), builder.running, builder.start_if_due()) == ("", False, False)
    assert names(data) == ["CURRENT", "vectors-1.duckdb"]
    # Another indexer reads all of it first.
    assert not VectorIndexBuilder(data, "hnsw").start_if_due()


def test_who_builds_shows_it_until_the_end_or_for_some_time_when_it_is_killed(tmp_path: Path) -> None:
    data = publish_vectors(tmp_path, invented(300, 1))
    with index_process._shown(data):
        assert is_being_built(data)
        assert build_index(data) is not None
        assert is_being_built(data)
    assert (is_being_built(data), names(data)) == (False, ["CURRENT", "vectors-1.duckdb"])
    building_path(data).touch()
    assert is_being_built(data)
    os.utime(building_path(data), (1, 1))
    assert not is_being_built(data)


def test_an_index_of_another_version_of_duckdb_is_built_again(grown: dict[int, Path], tmp_path: Path) -> None:
    data = DataDir(shutil.copytree(grown[300], tmp_path / "data"))
    entry = read_entry(data)
    assert entry is not None
    assert entry.engine == engine_version()
    builder = VectorIndexBuilder(data, "hnsw")
    assert not builder.start_if_due()
    write_entry(data, entry._replace(engine="1.4.0"))
    assert builder.start_if_due()
    builder.close()


def test_a_builder_that_is_closed_or_loses_its_indexer_ends(tmp_path: Path) -> None:
    data = publish_vectors(tmp_path, invented(COUNT, 1))
    builder = VectorIndexBuilder(data, "hnsw")
    assert builder.start_if_due()
    builder.close()
    assert (builder.running, read_entry(data)) == (False, None)
    command = [sys.executable, "-m", "memtui_core.ingest.vectors.index_process", str(data.path)]
    # Its standard input is closed before it has begun.
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    assert (done.returncode, read_entry(data)) == (1, None)


def test_a_builder_that_fails_says_why(tmp_path: Path) -> None:
    data = publish_vectors(tmp_path, invented(FEW, 1))
    os.truncate(data.vectors(1), 100)
    builder = VectorIndexBuilder(data, "hnsw")
    assert builder.start_if_due()
    assert builder.wait() == "mmap length is greater than file size"
    assert read_entry(data) is None


def test_without_the_extension_nothing_is_built_or_opened(built: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (vss_problem(), missing_vss()) == ("", "")
    monkeypatch.setitem(sys.modules, "duckdb_extension_vss", None)
    assert vss_problem() == missing_vss() == "the package duckdb-extension-vss is not installed"
    with pytest.raises(VssUnavailable, match="duckdb-extension-vss is not installed"):
        opened(built)
    remaining = DataDir(built.path.parent / "none")
    publish_vectors(remaining.path, invented(2_000, 1))
    assert not VectorIndexBuilder(remaining, "hnsw").start_if_due()
    with pytest.raises(VssUnavailable):
        build_index(remaining)
    assert read_entry(remaining) is None


def test_the_extension_has_the_signature_of_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(CONFIG, "allow_unsigned_extensions")
    assert vss_problem() == ""
    data = publish_vectors(tmp_path, invented(FEW, 1))
    assert build_index(data) is not None
    assert opened(data).nearest(invented(FEW, 1)[17], 1).tolist() == [17]


def test_the_extension_of_another_version_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_duckdb, "__version__", "1.5.99")
    assert vss_problem() == missing_vss() == "duckdb-extension-vss is not for DuckDB 1.5.99"


def test_all_indexes_are_removed_and_their_name_first(tmp_path: Path) -> None:
    data = publish_vectors(tmp_path, invented(300, 1))
    build_index(data)
    remove_indexes(data)
    assert names(data) == []
    remove_indexes(DataDir(tmp_path / "none"))


KILLS = [
    "inserted", "progress 1", "progress 20", "progress 40", "progress 60", "before CHECKPOINT", "after CHECKPOINT",
    "before sync", "before replace_file", "after replace_file", "before write_entry", "after write_entry",
]  # fmt: skip
"""Where the builder is killed: at a share of the index in per cent, or at a step."""


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """By their number: folders with an index of so many vectors, and as many more that are published."""
    folders = {}
    for size in (300, 1_500):
        data = publish_vectors(tmp_path_factory.mktemp("grown"), invented(size, 1))
        assert build_index(data) is not None
        assert opened(data).nearest(invented(size, 1)[17], 1).tolist() == [17]
        publish_vectors(data.path, invented(size, 2), size)
        folders[size] = data.path
    return folders


def index_files(data: DataDir) -> dict[str, bytes]:
    """What belongs to the first index: the name of the newest one, the database, and a log that it may have."""
    return {path.name: path.read_bytes() for path in data.vector_index.iterdir() if "2" not in path.name}


@pytest.mark.parametrize("place", KILLS)
def test_killed_anywhere_the_builder_leaves_a_good_index(
    place: str, grown: dict[int, Path], processes: Processes, tmp_path: Path
) -> None:
    # To make an index of few vectors takes too little time to be killed in the middle of it.
    size = 1_500 if place.startswith("progress") else 300
    data = DataDir(shutil.copytree(grown[size], tmp_path / "data"))
    assert processes.run(build_and_die, place, data) == -9
    if place == "after write_entry":
        entry = read_entry(data)
        assert entry is not None
        assert (entry.number, entry.size) == (2, 2 * size)
        assert opened(data).nearest(invented(size, 1)[17], 1).tolist() == [17]
    else:
        assert index_files(data) == index_files(DataDir(grown[size]))
    again = build_index(data)
    assert again is not None
    assert names(data) == ["CURRENT", f"vectors-{again.number - 1}.duckdb", f"vectors-{again.number}.duckdb"]
    assert opened(data).nearest(invented(size, 2)[17], 1).tolist() == [size + 17]
    assert not index_path(data, 2).with_suffix(".duckdb.part").exists()
