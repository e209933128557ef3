"""Cold commands; what an app and an indexer take that wait. Linux.

python -m bench.cold [--source FOLDER] [--runs N] [--minutes N]

Processor time is that of the command with its children. Each command is run in turn with `python -c pass`. The waiting
app and its indexer are looked at after the indexer has tidied, then for a while.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench import processes, screen, searching
from memtui_core.index.index import Index

SETTLED = 75.0
"""Seconds after which an indexer without changes has tidied and dropped its model."""
_TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.cold")
    parser.add_argument("--source", type=Path, default=Path(__file__).parents[1] / "sample_sessions" / "projects")
    parser.add_argument("--runs", type=int, default=9, help="the figures are medians of so many cold starts")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long waiting processes are looked at")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        processes.index(options.source.absolute(), data)
        commands(data, options.runs)
        waiting(data, options.source.absolute(), options.minutes)


def commands(data: Path, runs: int) -> None:
    """A row for each command."""
    (word, *_), _ = searching.queries(data, 5)
    session = Index.open(data).sessions.all()[0].session_id
    listed: dict[str, Sequence[str]] = {
        "search by words": ("search", "--json", f'"{word}"'),
        "search by words and meaning": ("search", "--json", f"how did we change {word} and why"),
        "recall --file": ("recall", "--everywhere", "--file", "README.md"),
        "files": ("files", "--json"),
        "prs": ("prs",),
        "show": ("show", "--json", session),
        "stats": ("stats",),
        "timeline": ("timeline",),
        "compactions": ("compactions", "--json"),
        "doctor": ("doctor",),
        "--help": ("--help",),
    }
    print(f"{'milliseconds':44}{'wall':>9}{'processor':>11}{'x pass':>9}{'x pass':>9}")
    for name, given in listed.items():
        arguments = ["-m", "memtui", *given] + ([] if given[0].startswith("-") else ["--data-dir", str(data)])
        own, floor = [], []
        for _ in range(runs + 1):
            floor.append(cold(["-c", "pass"]))
            own.append(cold(arguments))
        # The first of each fills the machine's caches.
        wall, processor = (statistics.median(column) for column in zip(*own[1:], strict=True))
        beside = [statistics.median(column) for column in zip(*floor[1:], strict=True)]
        ratios = f"{wall / beside[0]:8.1f}x{processor / beside[1]:8.1f}x"
        print(f"{name:44}{wall * 1000:9.1f}{processor * 1000:11.1f}{ratios}", flush=True)


def cold(arguments: Sequence[str]) -> tuple[float, float]:
    """Seconds of a command on the wall and of the processor."""
    started = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=processes.environment(),
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime


def waiting(data: Path, source: Path, minutes: float) -> None:
    """Memory, and processor time per minute, of an app at rest and of its indexer."""
    with _app(data, source) as terminal:
        _read_for(terminal, SETTLED)
        pids = {"app that shows a list": terminal.pid, "indexer that waits": _child(terminal.pid)}
        before = {name: _processor(pid) for name, pid in pids.items()}
        _read_for(terminal, 60 * minutes)
        for name, pid in pids.items():
            spent = (_processor(pid) - before[name]) / minutes
            print(f"{name:44}{_resident(pid):9.1f} MB{spent * 1000:9.0f} ms of the processor a minute")


@contextmanager
def _app(data: Path, source: Path) -> Iterator[screen.Terminal]:
    terminal = screen.Terminal(screen.app(data, source))
    try:
        terminal.wait_for("Sessions")
        yield terminal
    finally:
        terminal.close()


def _read_for(terminal: screen.Terminal, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        terminal.pause()
        time.sleep(screen.QUIET)


def _child(pid: int) -> int:
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            return int(child)
    raise SystemExit("the app has started no indexer")


def _processor(pid: int) -> float:
    """Seconds of the processor since the start."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _resident(pid: int) -> float:
    """Resident memory in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise SystemExit(f"{pid} has no memory")


if __name__ == "__main__":
    main()
