"""How long an agent waits for memtui's hooks: cold processes beside one of Python that does nothing.

python -m bench.hook [--source FOLDER] [--runs N]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench import processes
from memtui_core.index.index import Index
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import read_manifest

FLOOR = (
    "import _duckdb, os, sys; c = _duckdb.connect(sys.argv[1], read_only=True);"
    " c.execute('SELECT count(*) FROM file_mentions WHERE path = ?', ['x']).fetchall(); os._exit(0)"
)
"""The least that a question to a snapshot costs."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.hook")
    parser.add_argument("--source", type=Path, default=Path(__file__).parents[1] / "sample_sessions" / "projects")
    parser.add_argument("--runs", type=int, default=15, help="the figures are medians of so many cold starts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        processes.index(options.source.absolute(), data)
        measure(data, options.runs)


def measure(data: Path, runs: int) -> None:
    """Print a row for each way to start, all taken in turn, so that none has the machine to itself."""
    file = max(Index.open(data).files.find().rows, key=lambda row: row.edited + row.read)
    tool_input = {"file_path": f"{file.root}/{file.path}"}
    opened: dict[str, object] = {"cwd": file.root, "tool_name": "Edit", "tool_input": tool_input}
    asked: dict[str, object] = {"cwd": file.root, "prompt": f"what did we change in {file.path} and why?"}
    manifest = read_manifest(DataDir(data))
    if manifest is None:
        raise SystemExit(f"nothing is indexed in {data}")
    snapshot = DataDir(data).base(manifest.base)
    hook = ["-m", "memtui", "hook"]
    ways: dict[str, tuple[list[str], dict[str, object]]] = {
        "python -c pass": (["-c", "pass"], {}),
        "a question to DuckDB, nothing else": (["-c", FLOOR, str(snapshot)], {}),
        "hook PreToolUse": ([*hook, "PreToolUse", "--data-dir", str(data)], opened),
        "hook PreToolUse, said before": ([*hook, "PreToolUse", "--data-dir", str(data)], opened),
        "hook UserPromptSubmit": ([*hook, "UserPromptSubmit", "--data-dir", str(data)], asked),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(runs + 1):
        for name, (arguments, fields) in ways.items():
            # Of a session that was told nothing yet, but for the one that is told for the second time.
            session = f"s{number}" if fields is opened else f"{name} {number}"
            seconds, said = cold(arguments, json.dumps({"session_id": session, **fields}).encode())
            if bool(said) != (name in ("hook PreToolUse", "hook UserPromptSubmit")):
                raise SystemExit(f"{name} said {said[:200]!r}")
            times[name].append(seconds)
    # The first round fills the machine's caches.
    floor = statistics.median(times["python -c pass"][1:])
    for name, measured in times.items():
        seconds = statistics.median(measured[1:])
        print(f"{name:42} {seconds:10.3f} s     {seconds / floor:8.2f} x python -c pass ({floor:.3g} s)")


def cold(arguments: Sequence[str], given: bytes) -> tuple[float, bytes]:
    """Seconds of a command on the wall, and what it said."""
    environment = processes.environment()
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments], input=given, stdout=subprocess.PIPE, check=True, env=environment
    )
    return time.perf_counter() - started, done.stdout


if __name__ == "__main__":
    main()
