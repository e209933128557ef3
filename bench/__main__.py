"""Speed, memory and coverage as rows: a figure, what it is compared with in the same run, and their ratio.

python -m bench [--source FOLDER] [--times N] [--json]
python -m bench compare A.json B.json
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from bench import compare, corpus, estimates, processes, screen, searching, typed
from bench.agents._compared import expected, held, shares
from bench.rows import Row, as_json, as_table
from memtui_core.index.index import Index


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
    by_words, reports = processes.index_by_words(source, folder / "by-words")
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
        Row("index by words, processor time", by_words.processor, "s", floor.processor, "a bare orjson pass"),
        Row("index by words, wall time", by_words.seconds, "s", floor.seconds, "a bare orjson pass"),
        Row("index by words, peak memory", by_words.megabytes, "MB"),
        Row("index --no-embed, processor time", command.processor, "s", floor.processor, "a bare orjson pass"),
        *estimates.rows(reports),
        Row("index, whole process", first.seconds, "s", floor.seconds, "a bare orjson pass"),
        Row("index, speed", megabytes / first.seconds, "MB/s"),
        Row("index, peak memory", first.megabytes, "MB", floor.megabytes, "a bare orjson pass"),
        Row("index, nothing new", again.seconds, "s", python, "python -c pass"),
        Row("index on disk", disk, "MB", megabytes, "the transcripts"),
        *_latency("search by keyword, warm", searching.latencies(index, keywords)),
        *_latency("search by file name, warm", searching.latencies(index, paths)),
        *_latency("search by sentence, warm", searching.latencies(index, searching.sentences(keywords, 100))),
        Row("search --json, cold process", cold, "s", python, "python -c pass"),
    ]
    covered = shares(expected("claude-code", source), held(data, "claude-code"))
    rows += [Row(f"coverage, {name}", 100 * share, "%") for name, share in covered.items()]
    return rows + screens(data, source, [word for word in keywords[:20:5] if word.isascii()])


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
