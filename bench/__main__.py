"""Speed, memory and coverage as rows: a figure, what it is compared with in the same run, and their ratio.

python -m bench [--source FOLDER] [--times N] [--json]
python -m bench compare A.json B.json
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from operator import attrgetter
from pathlib import Path
from typing import Final

from bench import compare, corpus, estimates, processes, screen, searching, sessions, typed
from bench.agents._compared import expected, held, shares
from bench.rows import Row, as_json, as_table
from memtui_core.index.index import Index

SMALL_FILES: Final = 4_600
TIMES: Final = 5
_WALK: Final = """
import os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        os.stat(os.path.join(folder, name))
"""


def main() -> None:
    """Measure and print, or compare two results."""
    if sys.argv[1:2] == ["compare"]:
        sys.exit(compare.main(sys.argv[2:]))
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--source", type=Path, default=corpus.SAMPLES)
    parser.add_argument("--times", type=int, default=1, help="take the source so many times over")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(options.source.absolute(), options.times, Path(folder))
    print(as_json(rows) if options.json else as_table(rows))


def measure(source: Path, times: int, folder: Path) -> list[Row]:
    """All rows."""
    source = corpus.copies(source, times, folder / "source")
    data = folder / "data"
    megabytes = corpus.size(source) / 1e6
    floor = processes.bare_pass(source)
    by_words = processes.index_by_words(source, folder / "by-words")
    command, _ = processes.index(source, folder / "command", "--no-embed")
    first, counts = processes.index(source, data)
    again, _ = processes.index(source, data)
    disk = sum(path.stat().st_size for path in data.rglob("*") if path.is_file()) / 1e6
    python = processes.cold(5, "-c", "pass")
    keywords, paths = searching.queries(data, 200)
    cold = processes.cold(5, "-m", "memtui", "search", "--json", keywords[0], "--data-dir", str(data))
    index = Index.open(data)
    index.vectors.load_model(threads=2)
    index.vectors.cache()
    rows = [
        Row("source", megabytes, "MB"),
        Row("turns", counts["turns"], ""),
        Row("index by words, processor time", by_words.run.processor, "s", floor.processor, "a bare orjson pass"),
        Row("index by words, its main process", by_words.main_process, "s", floor.processor, "a bare orjson pass"),
        Row("index by words, its main thread", by_words.main_thread, "s", floor.processor, "a bare orjson pass"),
        Row("index by words, wall time", by_words.run.seconds, "s", floor.seconds, "a bare orjson pass"),
        Row("index by words, peak memory", by_words.run.megabytes, "MB"),
        Row("index --no-embed, processor time", command.processor, "s", floor.processor, "a bare orjson pass"),
        *estimates.rows(by_words.reports),
        Row("index, whole process", first.seconds, "s", floor.seconds, "a bare orjson pass"),
        Row("index, speed", megabytes / first.seconds, "MB/s"),
        Row("index, peak memory", first.megabytes, "MB", floor.megabytes, "a bare orjson pass"),
        Row("index, nothing new", again.seconds, "s", python, "python -c pass"),
        *small_files(folder / "small"),
        Row("index on disk", disk, "MB", megabytes, "the transcripts"),
        *_latency("search by keyword, warm", searching.latencies(index, keywords)),
        *_latency("search by file name, warm", searching.latencies(index, paths)),
        *_latency("search by sentence, warm", searching.latencies(index, searching.sentences(keywords, 100))),
        Row("search --json, cold process", cold, "s", python, "python -c pass"),
    ]
    covered = shares(expected("claude-code", source), held(data, "claude-code"))
    rows += [Row(f"coverage, {name}", 100 * share, "%") for name, share in covered.items()]
    return rows + screens(data, source, [word for word in keywords[:20:5] if word.isascii()])


def small_files(folder: Path) -> list[Row]:
    """A run with nothing new, and one with a turn more, of many transcripts whose agent is not named."""
    source, data = folder / "source", folder / "data"
    sessions.write_small(source, SMALL_FILES)
    processes.index(source, data, "--no-embed")
    walks = [processes.run("-c", _WALK, str(source)) for _ in range(TIMES)]
    again = [processes.index(source, data, "--no-embed")[0] for _ in range(TIMES)]
    changed = []
    for number in range(TIMES):
        sessions.append_turn(max(source.rglob("*.jsonl")), number)
        changed.append(processes.index(source, data, "--no-embed")[0])
    rows = []
    for name, runs in (("nothing new", again), ("a turn more", changed)):
        for unit, taken in (("processor time", attrgetter("processor")), ("wall time", attrgetter("seconds"))):
            floor = statistics.median(map(taken, walks))
            samples = tuple(map(taken, runs))
            title = f"index, {name} in {SMALL_FILES:,} small files, {unit}"
            rows.append(Row(title, statistics.median(samples), "s", floor, "python that walks over them", samples))
    return rows


def _latency(name: str, measured: tuple[float, float]) -> list[Row]:
    return [Row(f"{name}, {part}", value, "ms") for part, value in zip(("p50", "p95"), measured, strict=True)]


def screens(data: Path, source: Path, words: list[str]) -> list[Row]:
    """The app's start beside that of an empty Textual app, and how soon it shows what is typed."""
    title = Index.open(data).sessions.all()[0].title[:12]
    (floor,) = screen.start(5, ["-c", screen.FLOOR], "ready to read")
    arguments = screen.app(data, source)
    keys = typed.typing(arguments, title, words, between=0.0, rest=0.0).keys
    painted, useful = screen.start(5, arguments, "Sessions", title)
    return [
        Row("app, first paint", painted, "s", floor, "an empty Textual app"),
        Row("app, useful screen", useful, "s", floor, "an empty Textual app"),
        Row("app, key to repaint while typing, p50", 1000 * statistics.median(keys), "ms"),
        Row("app, key to repaint while typing, worst", 1000 * max(keys), "ms"),
    ]


if __name__ == "__main__":
    main()
