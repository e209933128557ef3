"""From turns to stored vectors, beside bare onnxruntime on the same texts: tokens a processor second, and memory.

python -m bench.embedding [--source FOLDER] [--texts N] [--times N] [--json]

Each measurement is a process of its own with one thread; loading the model is not counted. The floor is a session of
onnxruntime with the options that it has by itself, and the tokenizer, on the texts that memtui gave the model, one at a
time. The whole path is measured in each way that runs on a processor. The other rows run padded batches of texts of
similar lengths, and the texts of reviews of compactions, which are short.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench import corpus, processes
from bench.rows import Row, as_json, as_table
from memtui_core.search.embed.ways import INTEGERS, JOINED

_MEASURED: Final = """
import json, resource, sys, time
from pathlib import Path
from bench import embedding_ways
made = embedding_ways.prepared(*sys.argv[1:])
started = time.process_time()
made()
spent = time.process_time() - started
print(json.dumps([spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""
_TEXTS: Final = """
import json, sys
from pathlib import Path
from bench import embedding_ways
data, count, read, short = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4])
embedding_ways.write_texts(data, count, read, short)
print(json.dumps([embedding_ways.tokens(read), embedding_ways.tokens(short)]))
"""
FLOOR: Final = "bare onnxruntime"
WHOLE: Final = ("whole path", f"whole path, {JOINED}", f"whole path, {INTEGERS}")
"""The ways of which one is chosen on each machine."""
WAYS: Final = (*WHOLE, FLOOR, "bare, padded batches of 4", "bare, padded batches of 8")
SHORT: Final = ("sentences, the model of memtui", "sentences, bare onnxruntime")


@dataclass(frozen=True, slots=True)
class Spent:
    """One measurement: processor seconds, and the peak memory of the process in MB."""

    seconds: float
    megabytes: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.embedding")
    parser.add_argument("--source", type=Path, default=corpus.SAMPLES)
    parser.add_argument("--texts", type=int, default=150)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = list(measure(options.source.absolute(), options.texts, options.times, Path(folder)))
    print(as_json(rows) if options.json else as_table(rows))


def measure(source: Path, texts: int, times: int, folder: Path) -> Iterator[Row]:
    """All rows; the ways are measured in turn, so that other work on the machine meets all of them."""
    data, read, short = folder / "data", folder / "texts.json", folder / "sentences.json"
    processes.index(source, data, "--no-embed")
    shutil.copytree(data, folder / "first")
    # In a process of its own: the peak memory of a process counts that of the one which started it.
    counts = json.loads(processes.run("-c", _TEXTS, str(folder / "first"), str(texts), str(read), str(short)).output)
    spent: dict[str, list[Spent]] = {way: [] for way in (*WAYS, *SHORT)}
    for number in range(times):
        for way in spent:
            copy = folder / f"{number} {way}"
            if way in WHOLE:
                shutil.copytree(data, copy)
            spent[way].append(_run(way, str(short if way in SHORT else read), str(copy)))
    for ways, tokens in zip((WAYS, SHORT), counts, strict=True):
        yield from rows(ways, tokens, spent)


def rows(ways: Sequence[str], tokens: int, spent: dict[str, list[Spent]]) -> Iterator[Row]:
    """Tokens a processor second and peak memory of each way; the floor is the one that is bare, and first of these."""
    floor = next(way for way in ways if FLOOR in way)
    rates = {way: [tokens / one.seconds for one in spent[way]] for way in ways}
    memory = {way: [one.megabytes for one in spent[way]] for way in ways}
    for values, what, unit in ((rates, "tokens a processor second", "1/s"), (memory, "peak memory", "MB")):
        for way in ways:
            beside = None if way == floor else statistics.median(values[floor])
            name = FLOOR if beside is not None else ""
            yield Row(f"{way}, {what}", statistics.median(values[way]), unit, beside, name, tuple(values[way]))


def _run(way: str, texts: str, data: str) -> Spent:
    return Spent(*json.loads(processes.run("-c", _MEASURED, way, texts, data).output))


if __name__ == "__main__":
    main()
