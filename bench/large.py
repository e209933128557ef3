"""Typing with 100,000 turns indexed: how soon a key is on the screen, and how soon the hits by meaning are.

python -m bench.large [--turns N] [--data-dir FOLDER]

Invented transcripts and invented vectors, six chunks a turn; the vector of a query comes from the real model. A data
folder that is there already is measured as it is.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench import screen, searching, sessions
from memtui_core.index import Index

QUERIES = 40
OPENED = 8
"""Times that the snapshot is opened."""


def report(name: str, milliseconds: Sequence[float], goal: float) -> None:
    """One line."""
    p95 = statistics.quantiles(milliseconds, n=20)[18]
    figures = "".join(f"{one:9.1f}" for one in (statistics.median(milliseconds), p95, max(milliseconds)))
    print(f"{name:44}{figures}{p95 / goal:9.2f} x {goal:.0f}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.large")
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--data-dir", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = options.data_dir or Path(folder) / "data"
        if not (data / "snapshots").is_dir():
            sessions.write(Path(folder) / "source", options.turns)
            sessions.index(Path(folder) / "source", data)
        measure(data, Path(folder) / "source")


def first_answers(data: Path, keywords: Sequence[str]) -> None:
    """From opening a snapshot to its first answer, by words and by meaning with all vectors in memory."""
    by_words, by_meaning = [], []
    for query in keywords[:OPENED]:
        started = time.perf_counter()
        opened = Index.open(data)
        opened.search(query, 30, live=True, engines=("lexicon", "paths"))
        by_words.append((time.perf_counter() - started) * 1000)
        opened.load_model()
        started = time.perf_counter()
        opened.cache_vectors()
        opened.search(query, 30, live=True)  # The index is still being loaded.
        by_meaning.append((time.perf_counter() - started) * 1000)
        opened.close()
    report("snapshot to first answer, words and paths", by_words, 500)
    report("vectors to first answer, with meaning", by_meaning, 1000)


def measure(data: Path, source: Path) -> None:
    """Search in this process, then typing in a terminal."""
    keywords, _ = searching.queries(data, QUERIES)
    opened = Index.open(data)
    opened.load_model()
    stats = opened.stats()
    print(f"{stats.turns} turns, {stats.embedded_turns} with vectors")
    print(f"{'milliseconds':44}{'p50':>9}{'p95':>9}{'worst':>9}{'p95 / goal':>12}")
    first_answers(data, keywords)
    opened.cache_vectors()
    opened.wait_for_vector_index()
    print(f"meaning is answered by: {opened.vector_report().answer} {opened.vector_report().reason}")
    sentences = searching.sentences(keywords, 3 * QUERIES)
    engines = ((), ("lexicon", "paths"), ("lexicon", "meaning", "paths"))
    # Other sentences each time: the texts of the hits before are kept.
    for place, names in enumerate(engines):
        times, used = [], []
        for query in sentences[place * QUERIES : (place + 1) * QUERIES]:
            started, cpu = time.perf_counter(), time.process_time()
            opened.search(query, 30, live=True, engines=names or engines[-1])
            times.append((time.perf_counter() - started) * 1000)
            used.append((time.process_time() - cpu) * 1000)
        if names:
            report(f"search by {', '.join(names)}", times, 100)
            report("its processor time", used, 100)
    opened.close()
    title = Index.open(data).sessions()[0].title[:12]
    source.mkdir(exist_ok=True)
    typed = screen.typing(screen.app(data, source), title, sentences[:20], between=0.06, rest=6.0)
    report("key to its letter on the screen", [1000 * one for one in typed.keys], 20)
    report("last key to the last answer", [1000 * one for one in typed.queries], 150)


if __name__ == "__main__":
    main()
