"""Cold commands and hooks; what an app and an indexer take that wait. Linux.

python -m bench.cold [--source FOLDER] [--runs N] [--minutes N]

Processor time is that of the command with its children. Each command is run in turn with `python -c pass`. The waiting
app and its indexer are looked at after the indexer has tidied, then for a while.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench import corpus, processes, screen, searching
from memtui_core.index.index import Index
from memtui_core.queries.turns import read_blocks
from memtui_core.tools.results.error_text import error_text

SETTLED = 75.0
"""Seconds after which an indexer without changes has tidied and dropped its model."""

NEW = "error: nobody has seen the purple carts of this one"
"""An error that did not come up in any session."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.cold")
    parser.add_argument("--source", type=Path, default=corpus.SAMPLES)
    parser.add_argument("--runs", type=int, default=9, help="the figures are medians of so many cold starts")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long waiting processes are looked at")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        processes.index(options.source.absolute(), data)
        print(f"{'milliseconds':44}{'wall':>9}{'processor':>11}{'x pass':>9}{'x pass':>9}")
        commands(data, options.runs)
        hooks(data, options.runs)
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
    for name, given in listed.items():
        arguments = ["-m", "memtui", *given] + ([] if given[0].startswith("-") else ["--data-dir", str(data)])
        row(name, arguments, [b""] * (runs + 1))


def hooks(data: Path, runs: int) -> None:
    """A row for each hook: of a file, also of one that the session was told of, of a prompt, a start, and of errors."""
    file = max(Index.open(data).files.find().rows, key=lambda row: row.edited + row.read)
    tool_input = {"file_path": f"{file.root}/{file.path}"}
    opened = {"cwd": file.root, "tool_name": "Edit", "tool_input": tool_input}
    asked = {"cwd": file.root, "prompt": f"what did we change in {file.path} and why?"}
    root, error = mended(data)
    failure, failed = "PostToolUseFailure", {"cwd": root, "tool_name": "Bash", "tool_input": {"command": "make"}}
    told = "hook PreToolUse, told before"
    for name, event, fields, speaks in (
        ("hook PreToolUse", "PreToolUse", opened, True),
        (told, "PreToolUse", opened, False),
        ("hook UserPromptSubmit", "UserPromptSubmit", asked, True),
        ("hook SessionStart", "SessionStart", {"cwd": file.root, "source": "startup"}, True),
        (f"hook {failure}", failure, failed | {"error": error}, True),
        (f"hook {failure}, unknown error", failure, failed | {"error": NEW}, False),
        (f"hook {failure}, no error", failure, failed | {"error": "Exit code 1"}, False),
    ):
        # A session is not told twice of the same turn, by whatever hook.
        sessions = [name if name == told else f"{name} {number}" for number in range(runs + 1)]
        calls = [json.dumps({"session_id": session, **fields}).encode() for session in sessions]
        said = row(name, ["-m", "memtui", "hook", event, "--data-dir", str(data)], calls)
        if bool(said) is not speaks:
            raise SystemExit(f"{name} said {said[:200]!r}")


def mended(data: Path) -> tuple[str, str]:
    """The root of a project, and what a command printed there when it failed with an error that was mended later."""
    index = Index.open(data)
    for root, project in json.loads((data / "mended.json").read_bytes())["projects"].items():
        for one in project["errors"]:
            session, turn = index.sessions.find(one["id"]).key, one["failed"]
            for block in read_blocks(index.snapshot, session, turn, turn)[turn]:
                if error_text(block.text).key == one["key"]:
                    return root, block.text
    raise SystemExit("no error of these sessions was mended")


def row(name: str, arguments: Sequence[str], inputs: Sequence[bytes]) -> bytes:
    """Print a row for a command, run once with each input, the first time for nothing; what it has printed last."""
    own, floor, output = [], [], b""
    for given in inputs:
        floor.append(cold(["-c", "pass"])[0])
        spent, output = cold(arguments, given)
        own.append(spent)
    # The first of each fills the machine's caches.
    wall, processor = (statistics.median(column) for column in zip(*own[1:], strict=True))
    beside = [statistics.median(column) for column in zip(*floor[1:], strict=True)]
    ratios = f"{wall / beside[0]:8.1f}x{processor / beside[1]:8.1f}x"
    print(f"{name:44}{wall * 1000:9.1f}{processor * 1000:11.1f}{ratios}", flush=True)
    return output


def cold(arguments: Sequence[str], given: bytes = b"") -> tuple[tuple[float, float], bytes]:
    """Seconds of a command on the wall and of the processor, and what it printed."""
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *arguments], input=given, capture_output=True, check=True, env=processes.environment()
    )
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (seconds, used), done.stdout


def waiting(data: Path, source: Path, minutes: float) -> None:
    """Memory, and processor time per minute, of an app at rest and of its indexer."""
    with _app(data, source) as terminal:
        _read_for(terminal, SETTLED)
        pids = {"app that shows a list": terminal.pid, "indexer that waits": _child(terminal.pid)}
        before = {name: processes.cost(pid).seconds for name, pid in pids.items()}
        _read_for(terminal, 60 * minutes)
        for name, pid in pids.items():
            spent = (processes.cost(pid).seconds - before[name]) / minutes
            print(f"{name:44}{processes.memory(pid):9.1f} MB{spent * 1000:9.0f} ms of the processor a minute")


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


if __name__ == "__main__":
    main()
