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
from bench.typed import typing
from memtui_core.index.index import Index

QUERIES = 40
TYPED = 60
"""Queries that are typed after a rest."""
STARTS = 6
"""Starts of the app with a query that is typed at once."""
BETWEEN = 0.06
"""Seconds from a letter on the screen to the next key."""
REST = 6.0
"""Seconds in which the model is loaded."""
OPENED = 8
"""Times that the snapshot is opened."""


def report(name: str, milliseconds: Sequence[float], goal: float) -> None:
    """One line."""
    p95 = statistics.quantiles(milliseconds, n=20, method="inclusive")[18]
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
        opened.vectors.load_model()
        started = time.perf_counter()
        opened.vectors.cache()
        opened.search(query, 30, live=True)  # The index is still being loaded.
        by_meaning.append((time.perf_counter() - started) * 1000)
        opened.close()
    report("snapshot to first answer, words and paths", by_words, 500)
    report("vectors to first answer, with meaning", by_meaning, 1000)


def measure(data: Path, source: Path) -> None:
    """Search in this process, then typing in a terminal."""
    source.mkdir(exist_ok=True)
    keywords, _ = searching.queries(data, QUERIES)
    opened = Index.open(data)
    opened.vectors.load_model()
    stats = opened.statistics.of_index()
    print(f"{stats.turns} turns, {stats.embedded_turns} with vectors")
    print(f"{'milliseconds':44}{'p50':>9}{'p95':>9}{'worst':>9}{'p95 / goal':>12}")
    first_answers(data, keywords)
    opened.vectors.cache()
    opened.vectors.wait_for_index()
    print(f"meaning is answered by: {opened.vectors.report().answer} {opened.vectors.report().reason}")
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
    asked = changing(opened, searching.sentences(keywords, 3 * (TYPED + STARTS)))[: TYPED + STARTS]
    title = opened.sessions.all()[0].title[:12]
    opened.close()
    type_in_app(screen.app(data, source), title, asked)


def changing(index: Index, sentences: Sequence[str]) -> list[str]:
    """Sentences up to the third letter of their last word, without those to which the last letter brings no other hits.

    After a whole word the answer is often the one before its last letter, and nobody sees when it comes.
    """
    cut = [sentence[: sentence.rindex(" ") + 4] for sentence in sentences]
    return [query for query in cut if _best(index, query) != _best(index, query[:-1])]


def _best(index: Index, query: str) -> list[int]:
    return [hit.turn_id for hit in index.search(query, 5, live=True).hits]


def type_in_app(arguments: Sequence[str], title: str, queries: Sequence[str]) -> None:
    """Type queries into apps: the first ones into a new app each, without a rest, and the others after each other."""
    first = [typing(arguments, title, [query], BETWEEN, 0.0) for query in queries[:STARTS]]
    later = [typing(arguments, title, queries[STARTS:], BETWEEN, REST)]
    for name, typed in (("after a start", first), ("later", later)):
        report(f"key to its letter on the screen, {name}", [1000 * key for one in typed for key in one.keys], 20)
        report(f"last key to the last answer, {name}", [1000 * last for one in typed for last in one.answers], 150)
        print(f"  without another answer: {sum(len(one.unchanged) for one in typed)}")


if __name__ == "__main__":
    main()
