"""Ways to the nearest vectors: the exact products with 8 and 32 bits, the HNSW index, and a scan in DuckDB.

python -m bench.vectors [--sizes 20000,100000,300000] [--ways hnsw,bytes,floats,scan]

Invented vectors in clusters, as those of texts are. Each way answers in a process of its own: the first time after its
files have left the page cache, then with all warm. A query asks for the 300 nearest, of which the first ten are
compared with those of the exact products with 32 bits.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import numpy as np
from arro3.core import Array, Table, fixed_size_list_array

from memtui_core.search.vectors.hnsw import IndexLoader, NearMatrix
from memtui_core.search.vectors.matrix import CachedVectors, VectorMatrix
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import Manifest, read_manifest, write_manifest
from memtui_core.store.vectors.codes import FloatVectors
from memtui_core.store.vectors.files import VectorFiles, stored_vectors
from memtui_core.store.vectors.index_entry import read_entry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

DIMENSION = 384
QUERIES = 60
FETCHED = 300
"""Turns that a query asks for, as a search does; the first ten are compared."""
TOP = 10
WAYS = ("floats", "bytes", "hnsw", "scan")
_PIECE = 50_000
_CLUSTERS = 2000
_SPREAD = 0.7
"""Length of what is added to the middle of a cluster, whose own length is 1."""

Ask = Callable[["Vectors"], list[int]]


@dataclass(frozen=True, slots=True)
class Row:
    """One way at one size."""

    way: str
    cold: float
    """Milliseconds from opening the files to the first answer."""
    p50: float
    p95: float
    cpu: float
    """Milliseconds of processor time of an answer."""
    memory: float
    """Bytes of memory for each vector, without what is mapped from files."""
    answers: list[list[int]]
    """The first ten of each query."""


def invented(count: int, seed: int) -> Vectors:
    """Unit vectors; the clusters are the same for every seed."""
    middles = np.random.default_rng(0).normal(size=(_CLUSTERS, DIMENSION))
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    random = np.random.default_rng(seed)
    added = random.normal(scale=_SPREAD / DIMENSION**0.5, size=(count, DIMENSION))
    made = middles[random.integers(0, _CLUSTERS, count)] + added
    unit: Vectors = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return unit


def pieces(count: int) -> Iterator[tuple[int, Vectors]]:
    """The vectors of a size in pieces, each with the number of its first vector."""
    for first in range(0, count, _PIECE):
        yield first, invented(min(_PIECE, count - first), first + 1)


def write(folder: Path, count: int, ways: Sequence[str]) -> None:
    """The files of all ways but the index, which `build` makes."""
    data = DataDir(folder)
    files = VectorFiles(data, 1, "invented", DIMENSION)
    for first, piece in pieces(count):
        files.append(dict(enumerate(piece, first)))
    data.snapshots.mkdir(exist_ok=True)
    write_manifest(data, Manifest(1, 1, vectors=files.current))
    floats = np.lib.format.open_memmap(folder / "floats.npy", "w+", np.float32, (count, DIMENSION))
    for first, piece in pieces(count):
        floats[first : first + len(piece)] = piece
    floats.flush()
    if "scan" in ways:
        with duckdb.connect(str(folder / "scan.duckdb")) as connection:
            connection.execute(f"CREATE TABLE vectors (hash BIGINT, embedding FLOAT[{DIMENSION}])")
            for first, piece in pieces(count):
                lists = fixed_size_list_array(Array.from_numpy(piece.reshape(-1)), DIMENSION)
                hashes = Array.from_numpy(np.arange(first, first + len(piece)))
                connection.register("piece", Table.from_arrays([hashes, lists], names=["hash", "embedding"]))
                connection.execute("INSERT INTO vectors SELECT * FROM piece")
                connection.unregister("piece")


def build(folder: Path) -> tuple[float, int]:
    """Build the index in a process as the indexer does; its processor seconds, and the bytes of the file."""
    command = [sys.executable, "-m", "memtui_core.ingest.vectors.index_process", str(folder)]
    before = os.times()
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        process.wait()
    after = os.times()
    entry = read_entry(DataDir(folder))
    assert entry is not None
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used, entry.bytes


def opened(folder: Path, way: str) -> Ask:
    """What answers in this way."""
    data = DataDir(folder)
    if way == "scan":
        connection = duckdb.connect(str(folder / "scan.duckdb"), read_only=True, config={"threads": 2})
        return lambda vector: [key for (key,) in connection.execute(statement(vector)).fetchall()]
    manifest = read_manifest(data)
    assert manifest is not None
    assert manifest.vectors is not None
    stored = stored_vectors(data, manifest.vectors)
    if way == "floats":
        stored.vectors = FloatVectors(np.load(folder / "floats.npy", mmap_mode="r"))
    rows = np.arange(len(stored.hashes))
    matrix = VectorMatrix.of(stored.vectors, rows, stored.hashes, np.zeros_like(rows), rows)
    if way != "hnsw":
        return lambda vector: [turn for turn, *_ in matrix.nearest_of_all(vector, FETCHED, 9)]
    held, loader = CachedVectors("invented", stored, matrix, (manifest.vectors, None)), IndexLoader(data, "hnsw")
    loader.matrix(held)
    loader.wait()
    near = loader.matrix(held)
    assert isinstance(near, NearMatrix), loader.problem
    return lambda vector: [turn for turn, *_ in near.nearest_of_all(vector, FETCHED, 9)]


def statement(vector: Vectors) -> str:
    """The query of the scan."""
    values = ",".join(map(repr, vector.tolist()))
    distance = f"array_negative_inner_product(embedding, '[{values}]'::FLOAT[{DIMENSION}])"
    return f"SELECT hash FROM vectors ORDER BY {distance} LIMIT {FETCHED}"


def measure(folder: Path, way: str) -> Row:
    """One way in this process."""
    asked = list(invented(QUERIES, 0))
    for path in folder.rglob("*"):
        _drop_from_cache(path)
    before, started = _anonymous(), time.perf_counter()
    ask = opened(folder, way)
    ask(asked[0])
    cold = (time.perf_counter() - started) * 1000
    answers, times, used = [], [], time.process_time()
    for vector in asked:
        started = time.perf_counter()
        answers.append(ask(vector)[:TOP])
        times.append((time.perf_counter() - started) * 1000)
    used = (time.process_time() - used) * 1000 / len(asked)
    manifest = read_manifest(DataDir(folder))
    assert manifest is not None
    assert manifest.vectors is not None
    memory = (_anonymous() - before) / manifest.vectors.size
    return Row(way, cold, statistics.median(times), statistics.quantiles(times, n=20)[18], used, memory, answers)


def recall(found: Sequence[Sequence[int]], right: Sequence[Sequence[int]]) -> float:
    """The share of the right first ten that was found."""
    shares = [len({*one[:TOP]} & {*other[:TOP]}) / TOP for one, other in zip(found, right, strict=True)]
    return sum(shares) / len(shares)


def _drop_from_cache(path: Path) -> None:
    if path.is_file() and hasattr(os, "posix_fadvise"):
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _anonymous() -> int:
    """The bytes of memory of this process that are not mapped from files; 0 where the system does not say."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.vectors")
    parser.add_argument("--sizes", default="20000,100000,300000")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(asdict(measure(Path(options.measure[0]), options.measure[1]))))
        return
    ways = options.ways.split(",")
    print(f"{'vectors':>8}  {'':8}{'cold ms':>9}{'p50 ms':>9}{'p95 ms':>9}{'cpu ms':>9}{'B each':>8}{'recall@10':>11}")
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), size, ways)
            seconds, length = build(Path(folder)) if "hnsw" in ways else (0.0, 0)
            right: list[list[int]] = []
            for way in sorted(ways, key=WAYS.index):
                command = [sys.executable, "-m", "bench.vectors", "--measure", folder, way]
                row = Row(**json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
                right = right or row.answers
                figures = f"{row.cold:9.0f}{row.p50:9.1f}{row.p95:9.1f}{row.cpu:9.1f}{row.memory:8.0f}"
                print(f"{size:8}  {way:8}{figures}{recall(row.answers, right):11.3f}", flush=True)
            if length:
                print(f"{size:8}  index: {seconds:.0f} s of processor time, {length / size:.0f} bytes each", flush=True)


if __name__ == "__main__":
    main()
