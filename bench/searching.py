"""Search while everything is warm: latency over many queries made from the index itself."""

from __future__ import annotations

import random
import re
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from memtui_core.index.index import Index
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot


def queries(data_dir: Path, count: int) -> tuple[list[str], list[str]]:
    """Keyword queries (words, pairs, phrases, beginnings, exclusions) and file names in the index, always the same."""
    snapshot = Snapshot(DataDir(data_dir))
    texts = snapshot.rows("SELECT text FROM blocks WHERE kind IN ('user', 'text') ORDER BY turn, seq LIMIT 2000")
    paths = [path for (path,) in snapshot.rows("SELECT DISTINCT path FROM file_mentions ORDER BY path")]
    words = sorted({word for (text,) in texts for word in re.findall(r"[^\W\d]{4,14}", text)})
    pick = random.Random(7)
    keywords = []
    for number in range(count):
        first, second = pick.choice(words), pick.choice(words)
        kinds = [first, f"{first} {second}", f'"{first} {second}"', first[:4], f"{first} -{second}"]
        keywords.append(kinds[number % len(kinds)])
    return keywords, [pick.choice(paths).rsplit("/", 1)[-1] for _ in range(count // 4)] if paths else []


def sentences(keywords: Sequence[str], count: int) -> list[str]:
    """Queries of four words, which are looked for by their meaning too."""
    pick = random.Random(9)
    known = sorted({word for query in keywords for word in query.split() if word.isalpha() and len(word) > 4})
    return [" ".join(pick.sample(known, 4)) for _ in range(count)]


def latencies(index: Index, asked: Sequence[str]) -> tuple[float, float]:
    """p50 and p95 in milliseconds of a whole search as it is typed: 20 hits with their passages."""
    for query in asked[:20]:
        index.search(query, 20, live=True)
    times = []
    for query in asked:
        started = time.perf_counter()
        index.search(query, 20, live=True)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times), statistics.quantiles(times, n=20)[18]
