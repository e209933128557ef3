"""One huge transcript and very many tiny ones: time, and the most memory of all processes together.

python -m bench.huge [--megabytes 100] [--files 5000] [--json]

Invented, without vectors. Memory is what the processes do not share with any file (`Anonymous` in `/proc`), so Linux
only: pages of files that are mapped are the system's to drop. The full sizes are 4000 and 200000.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import orjson

from bench import processes, sessions
from bench.rows import Row, as_json, as_table

RESULT: Final = 1_500
LARGE_RESULT: Final = 200_000
"""Characters of the output of a call; every fiftieth turn has a large one."""
_START: Final = datetime(2026, 1, 1, tzinfo=UTC)
_EVERY: Final = 0.05
"""Seconds between two looks at the memory."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.huge")
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [*_measured(Path(folder), options.megabytes, options.files)]
    print(as_json(rows) if options.json else as_table(rows))


def _measured(folder: Path, megabytes: int, files: int) -> Iterator[Row]:
    write_one(folder / "one" / "huge.jsonl", megabytes * 1_000_000)
    sessions.write_small(folder / "small", files)
    for name, source in ((f"one transcript of {megabytes} MB", "one"), (f"{files} tiny transcripts", "small")):
        for again in ("first", "again"):
            seconds, most = index(folder / source, folder / f"{source}-data")
            yield Row(f"{name}, {again}, wall", seconds, "s")
            yield Row(f"{name}, {again}, memory", most, "MB")


def write_one(path: Path, size: int) -> None:
    """One transcript of at least so many bytes, written line by line: turns of three calls each."""
    path.parent.mkdir(parents=True)
    pick, known, number, turn = random.Random(7), sessions.words(), 0, 0
    common = {"cwd": "/home/ana/shop", "sessionId": "huge", "version": "2.0.0", "isSidechain": False}

    def text(characters: int) -> str:
        return " ".join(pick.choices(known, k=max(1, characters // 7)))

    with path.open("wb") as file:

        def put(kind: str, content: object) -> None:
            nonlocal number
            number += 1
            at = (_START + timedelta(seconds=number)).isoformat()
            message = {"role": kind, "content": content, "id": f"m{number}", "model": "m"}
            file.write(
                orjson.dumps({**common, "type": kind, "uuid": f"e{number}", "timestamp": at, "message": message})
                + b"\n"
            )

        while file.tell() < size:
            turn += 1
            put("user", f"Turn {turn}: {text(300)}")
            for call in range(3):
                name = f"t{turn}.{call}"
                put("assistant", [{"type": "text", "text": text(500)}])
                put("assistant", [{"type": "tool_use", "id": name, "name": "Bash", "input": {"command": text(30)}}])
                output = text(LARGE_RESULT if turn % 50 == 0 and call == 0 else RESULT)
                put("user", [{"type": "tool_result", "tool_use_id": name, "content": output}])


def index(source: Path, data: Path) -> tuple[float, float]:
    """`memtui index` of a folder: seconds, and the most megabytes of all its processes."""
    command = [sys.executable, "-m", "memtui", "index", "--no-embed", "--quiet", "--agent", "claude-code"]
    command += ["--source", str(source), "--data-dir", str(data)]
    started, most = time.perf_counter(), 0.0
    with subprocess.Popen(command, env=processes.environment()) as child:
        while child.poll() is None:
            most = max(most, sum(map(_anonymous, _tree(child.pid))))
            time.sleep(_EVERY)
    if child.returncode:
        raise SystemExit(f"memtui index ended with {child.returncode}")
    return time.perf_counter() - started, most


def _tree(pid: int) -> Iterator[int]:
    """A process and those that it started."""
    yield pid
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for started in (thread / "children").read_text("ascii").split():
                yield from _tree(int(started))


def _anonymous(pid: int) -> float:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines():
            if line.startswith("Anonymous:"):
                return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    main()
