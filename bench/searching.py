"""Search while everything is warm: latency over many queries made from the index itself."""

from __future__ import annotations

import random
import re
import statistics
import time
from pathlib import Path

from memtui_core.index import Index
from memtui_core.store.files import DataDir
from memtui_core.store.reader import Snapshot


def queries(data_dir: Path, count: int) -> list[str]:
    """Words, pairs, phrases, prefixes and paths that stand in the index, always the same."""
    snapshot = Snapshot(DataDir(data_dir))
    texts = snapshot.rows("SELECT text FROM blocks WHERE kind IN ('user', 'text') ORDER BY turn, seq LIMIT 2000")
    paths = [path for (path,) in snapshot.rows("SELECT DISTINCT path FROM file_mentions ORDER BY path")]
    words = sorted({word for (text,) in texts for word in re.findall(r"[^\W\d]{4,14}", text)})
    pick = random.Random(7)
    made = []
    for number in range(count):
        first, second = pick.choice(words), pick.choice(words)
        kinds = [first, f"{first} {second}", f'"{first} {second}"', first[:4], f"{first} -{second}"]
        made.append(pick.choice(paths).rsplit("/", 1)[-1] if paths and number % 6 == 5 else kinds[number % 5])
    return made


def latencies(data_dir: Path, count: int = 200) -> tuple[float, float]:
    """p50 and p95 in milliseconds of a whole search with 20 hits and their snippets."""
    index = Index.open(data_dir)
    made = queries(data_dir, count)
    for query in made[:20]:
        index.search(query, 20)
    times = []
    for query in made:
        started = time.perf_counter()
        index.search(query, 20, live=True)
        times.append((time.perf_counter() - started) * 1000)
    cuts = statistics.quantiles(times, n=20)
    return statistics.median(times), cuts[18]
