"""Commands timed as a person meets them, a fresh process each; and what a process that runs has cost so far."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.estimates import Report


@dataclass(frozen=True, slots=True)
class Run:
    """One command: seconds on the wall, peak memory of its largest process in MB, and what it printed."""

    seconds: float
    megabytes: float
    output: str
    processor: float = 0.0
    """User and system time, with the processes that it started."""


def environment() -> dict[str, str]:
    """The variables of this process; modules are compiled once, as in an installed memtui."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(*arguments: str) -> Run:
    """Run Python with these arguments to the end."""
    return run_program(sys.executable, *arguments)


def run_program(*arguments: str) -> Run:
    """Run a program to the end."""
    started = time.perf_counter()
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=environment()) as child:
        output = child.stdout.read() if child.stdout else ""
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(arguments)} ended with {child.returncode}")
    return Run(seconds, usage.ru_maxrss / 1024, output, usage.ru_utime + usage.ru_stime)


def bare_pass(source: Path) -> Run:
    """`orjson.loads` over every line, and nothing else: the floor under indexing; its own time without start-up."""
    code = (
        "import sys, time, orjson\nfrom pathlib import Path\nstart, used = time.perf_counter(), time.process_time()\n"
        "for path in sorted(Path(sys.argv[1]).rglob('*.jsonl')):\n"
        "    with path.open('rb') as file:\n"
        "        for line in file:\n"
        "            try:\n                orjson.loads(line)\n            except ValueError:\n                pass\n"
        "print(time.perf_counter() - start, time.process_time() - used)"
    )
    done = run("-c", code, str(source))
    seconds, processor = map(float, done.output.split())
    return Run(seconds, done.megabytes, "", processor)


def index(source: Path, data_dir: Path, *options: str) -> tuple[Run, dict[str, int]]:
    """`memtui index` of a folder."""
    done = run("-m", "memtui", "index", "--json", "--source", str(source), "--data-dir", str(data_dir), *options)
    return done, json.loads(done.output)[0]


@dataclass(frozen=True, slots=True)
class ByWords:
    """Indexing until everything can be searched by words and paths."""

    run: Run
    reports: list[Report]
    """The progress that it reports."""
    main_thread: float
    """Seconds of processor time of the thread that merges and stores what the workers prepare."""
    main_process: float
    """The same with the threads of the keyword index and of the pipes to the workers."""


def index_by_words(source: Path, data_dir: Path) -> ByWords:
    """Index a folder until all of it can be searched by words and paths."""
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom memtui_core.ingest.indexer import Indexer\n"
        "from memtui_core.readers.locations import chosen_locations\nstart = time.perf_counter()\n"
        "with Indexer(Path(sys.argv[2])) as indexer:\n"
        "    for progress in indexer.update(chosen_locations([Path(sys.argv[1])])):\n"
        "        print(time.perf_counter() - start, progress.seconds_left)\n"
        "print(time.thread_time(), time.process_time())"
    )
    done = run("-c", code, str(source), str(data_dir))
    *lines, (thread, process) = (line.split() for line in done.output.splitlines())
    reports = [Report(float(at), None if left == "None" else float(left)) for at, left in lines]
    return ByWords(done, reports, float(thread), float(process))


def cold(times: int, *arguments: str) -> float:
    """Median seconds of a command."""
    return statistics.median(run(*arguments).seconds for _ in range(times))


@dataclass(frozen=True, slots=True)
class Cost:
    """Bytes given to the disk, and seconds of processor time."""

    bytes: int
    seconds: float

    def since(self, before: Cost) -> Cost:
        """What came on top."""
        return Cost(self.bytes - before.bytes, self.seconds - before.seconds)


def cost(pid: int) -> Cost:
    """The cost of a process that runs, by the operating system's own count (Linux)."""
    counts = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return Cost(int(counts["write_bytes"]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))


def memory(pid: int) -> float:
    """Megabytes in memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
