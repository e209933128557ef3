"""What memtui costs while agents write, beside histories of several sizes.

python -m bench.live [--source FOLDER] [--gigabytes 0.1,1,5] [--transcripts 1,3] [--seconds 60] [--keep FOLDER]

The source is taken so many times over that it has the size. `--keep` names a folder for these copies and their indexes,
which take minutes to make, and are used again. A row has the bytes a second that the indexer wrote by the operating
system's count, its share of a core, and the time from an appended line to the answer of a reader that looks four times
a second.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench import corpus, processes
from bench.live.growing import Growing
from bench.processes import Cost, cost, memory
from memtui_core.index.index import Index

POLL = 0.25
"""Seconds between two looks of a reader: those of the app."""
HEAD = f"{'':46}{'kB/s':>9}{'budget':>9}{'% core':>9}{'MB':>7}{'p50 s':>9}{'p95 s':>9}{'worst':>9}"
BUDGET = (20, 100_000)
"""Times the bytes appended, and bytes a second beside them."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.live")
    parser.add_argument("--source", type=Path, default=corpus.SAMPLES)
    parser.add_argument("--gigabytes", default="0.1,1,5")
    parser.add_argument("--transcripts", default="1,3")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    print(HEAD, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for gigabytes in options.gigabytes.split(","):
            kept = (options.keep or Path(folder)) / gigabytes
            history(options.source, float(gigabytes), kept)
            for transcripts in map(int, options.transcripts.split(",")):
                live(kept, Path(folder) / "run", gigabytes, transcripts, options.seconds)


def history(source: Path, gigabytes: float, folder: Path) -> None:
    """The source so many times over, indexed without vectors."""
    if not (folder / "source").exists():
        corpus.copies(source, max(2, round(gigabytes * 1e9 / corpus.size(source))), folder / "source")
    if not (folder / "data").exists():
        arguments = ["--quiet", "--no-embed", "--source", str(folder / "source"), "--data-dir", str(folder / "data")]
        processes.run("-m", "memtui", "index", *arguments)


def live(kept: Path, run: Path, gigabytes: str, transcripts: int, seconds: float) -> None:
    """A row for some transcripts that grow."""
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(kept / "data", run / "data")
    growing = Growing(run / "live", transcripts)
    indexer = _watcher(run / "data", [run / "live", (kept / "source").resolve()])
    try:
        index = _at_rest(run / "data", indexer.pid, growing)
        before, bytes_before, seen = cost(indexer.pid), growing.bytes, dict(growing.written)
        growing.start()
        latencies = _follow(index, growing, seen, time.monotonic() + seconds)
        growing.stop()
        spent = cost(indexer.pid).since(before)
        latencies += _follow(index, growing, seen, time.monotonic() + 5.0)
        appended = (growing.bytes - bytes_before) / seconds
        name = f"{gigabytes} GB of history, {transcripts} transcripts grow"
        _row(name, spent, seconds, appended, memory(indexer.pid), latencies)
        missing = len(growing.written) - len(seen)
        if missing:
            print(f"    {missing} of {len(growing.written)} lines were not found", flush=True)
    finally:
        _end(indexer)


def _at_rest(data: Path, pid: int, growing: Growing) -> Index:
    """The index, once the first line is found and the indexer writes no more."""
    first = next(iter(growing.written))
    while True:
        index = Index.open(data)
        if index.search(f'"{first}"', 1, engines=("lexicon",)).hits:
            break
        time.sleep(1.0)
    last = cost(pid)
    while True:
        time.sleep(4.0)
        now = cost(pid)
        if now.since(last).bytes == 0:
            index.refresh()
            return index
        last = now


def _follow(index: Index, growing: Growing, seen: dict[str, float], until: float) -> list[float]:
    """Look for each line until it is found; the seconds from each one's append to its answer."""
    latencies = []
    while time.monotonic() < until:
        time.sleep(POLL)
        if index.refresh() or len(seen) < len(growing.written):
            for word, at in list(growing.written.items()):
                if word not in seen and index.search(f'"{word}"', 1, engines=("lexicon",)).hits:
                    seen[word] = time.monotonic()
                    latencies.append(seen[word] - at)
    return latencies


def _row(name: str, spent: Cost, seconds: float, appended: float, megabytes: float, latencies: Sequence[float]) -> None:
    budget = BUDGET[0] * appended + BUDGET[1]
    times = ""
    if latencies:
        p95 = statistics.quantiles(latencies, n=20, method="inclusive")[18] if len(latencies) > 1 else latencies[0]
        times = "".join(f"{one:9.2f}" for one in (statistics.median(latencies), p95, max(latencies)))
    figures = (
        f"{spent.bytes / seconds / 1000:9.1f}{budget / 1000:9.1f}{100 * spent.seconds / seconds:9.2f}{megabytes:7.0f}"
    )
    print(f"{name:46}{figures}{times}", flush=True)


def _watcher(data: Path, sources: list[Path]) -> subprocess.Popen[bytes]:
    """`memtui index --watch` without vectors, until its standard input closes."""
    arguments = [sys.executable, "-m", "memtui", "index", "--watch", "--quiet", "--until-eof", "--no-embed"]
    for source in sources:
        arguments += ["--source", str(source)]
    return subprocess.Popen([*arguments, "--data-dir", str(data)], stdin=subprocess.PIPE)


def _end(indexer: subprocess.Popen[bytes]) -> None:
    if indexer.stdin:
        indexer.stdin.close()
    try:
        indexer.wait(20)
    except subprocess.TimeoutExpired:
        indexer.kill()
        indexer.wait()


if __name__ == "__main__":
    main()
