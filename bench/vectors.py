"""Three ways to the nearest vectors: the scan in the store, an HNSW index of vss, and the matrix in memory.

python -m bench.vectors [--sizes 10000,50000,200000]

Invented vectors in clusters, as those of texts are; the scan is exact and says what is right.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import duckdb_extension_vss
import numpy as np
from arro3.core import Array, Table, fixed_size_list_array

from memtui_core.search.vector_matrix import VectorMatrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

DIMENSION = 384
QUERIES = 60
FETCHED = 100
"""Vectors that a query asks for; the first ten are compared."""
TOP = 10
_CLUSTERS = 2000
_SPREAD = 0.7
"""Length of what is added to the middle of a cluster, whose own length is 1."""

Ask = Callable[["Vectors"], list[int]]


@dataclass(frozen=True, slots=True)
class Row:
    """One way at one size."""

    vectors: int
    way: str
    p50: float
    """Milliseconds."""
    p95: float
    recall: float
    """Share of the right ten among its first ten, 0 to 1."""
    build: float
    """Seconds until it can be asked, after the vectors were read."""


def invented(count: int, seed: int) -> Vectors:
    """Unit vectors; the clusters are the same for every seed."""
    middles = np.random.default_rng(0).normal(size=(_CLUSTERS, DIMENSION))
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    random = np.random.default_rng(seed)
    added = random.normal(scale=_SPREAD / DIMENSION**0.5, size=(count, DIMENSION))
    made = middles[random.integers(0, _CLUSTERS, count)] + added
    unit: Vectors = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return unit


def store(vectors: Vectors) -> duckdb.DuckDBPyConnection:
    """The vectors in a table of an in-memory database that knows vss."""
    connection = duckdb.connect(config={"threads": 2})
    (extension,) = Path(duckdb_extension_vss.__file__).parent.rglob("vss.duckdb_extension")
    connection.execute(f"LOAD '{extension}'")
    lists = fixed_size_list_array(Array.from_numpy(vectors.reshape(-1)), DIMENSION)
    table = Table.from_arrays([Array.from_numpy(np.arange(len(vectors))), lists], names=["hash", "embedding"])
    connection.register("made", table)
    connection.execute(f"CREATE TABLE vectors (hash BIGINT, embedding FLOAT[{DIMENSION}])")
    connection.execute("INSERT INTO vectors SELECT * FROM made")
    connection.unregister("made")
    return connection


def statement(vector: Vectors) -> str:
    """The query of both ways in DuckDB."""
    distance = f"array_cosine_distance(embedding, [{','.join(map(repr, vector.tolist()))}]::FLOAT[{DIMENSION}])"
    return f"SELECT hash FROM vectors ORDER BY {distance} LIMIT {FETCHED}"


def add_index(connection: duckdb.DuckDBPyConnection) -> None:
    """Build the HNSW index."""
    connection.execute("CREATE INDEX near ON vectors USING HNSW (embedding) WITH (metric = 'cosine')")


def measure(count: int) -> list[Row]:
    """All ways at one size."""
    vectors, asked = invented(count, 1), list(invented(QUERIES, 2))
    connection = store(vectors)

    def in_duckdb(vector: Vectors) -> list[int]:
        return [key for (key,) in connection.execute(statement(vector)).fetchall()]

    right, scan = _timed(in_duckdb, asked)
    each = np.arange(count)
    matrix = VectorMatrix(vectors, each, each, np.zeros_like(each), each)
    in_memory, product = _timed(lambda vector: [turn for turn, *_ in matrix.nearest(vector, FETCHED, 9)], asked)
    started = time.perf_counter()
    add_index(connection)
    build = time.perf_counter() - started
    indexed, hnsw = _timed(in_duckdb, asked)
    return [
        Row(count, "scan in the store", *scan, 1.0, 0.0),
        Row(count, "HNSW of vss", *hnsw, _recall(indexed, right), build),
        Row(count, "matrix in memory", *product, _recall(in_memory, right), 0.0),
    ]


def _timed(ask: Ask, asked: Sequence[Vectors]) -> tuple[list[list[int]], tuple[float, float]]:
    """The answers, and p50 and p95 in milliseconds."""
    answers, times = [], []
    for vector in asked:
        started = time.perf_counter()
        answers.append(ask(vector))
        times.append((time.perf_counter() - started) * 1000)
    return answers, (statistics.median(times), statistics.quantiles(times, n=20)[18])


def _recall(found: Sequence[Sequence[int]], right: Sequence[Sequence[int]]) -> float:
    shares = [len({*one[:TOP]} & {*other[:TOP]}) / TOP for one, other in zip(found, right, strict=True)]
    return sum(shares) / len(shares)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.vectors")
    parser.add_argument("--sizes", default="10000,50000,200000")
    print(f"{'vectors':>8}  {'':18}{'p50 ms':>9}{'p95 ms':>9}{'recall@10':>11}{'build s':>9}")
    for size in parser.parse_args().sizes.split(","):
        for row in measure(int(size)):
            print(
                f"{row.vectors:8}  {row.way:18}{row.p50:9.1f}{row.p95:9.1f}{row.recall:11.3f}{row.build:9.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
