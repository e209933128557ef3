"""An app, MCP clients and two sessions that grow, for some minutes: what must stay flat, and how fast it answers.

python -m bench.soak [--source FOLDER] [--minutes 10] [--clients 3] [--kills 0]

A row a minute has the memory of the app, its indexer and the servers, the open files of these, the files and bytes of
the data folder, and the median and the 95th percentile of the servers' answers. Every other question is for a word of
one line of a session that grows, so that it is known what the answer must have. With `--kills` the indexer is killed so
often, at random moments; then another one, of the app or one that waits beside it, must take over. In the end the index
is compared row by row with one of the same transcripts that was made at once. Ends with 1 if something grows beyond its
bound, if an answer is an error, wrong or too slow, or if the indexes differ. Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from bench import corpus
from bench.live.growing import Growing
from bench.processes import memory
from memtui_core.store.data_folder import DataDir
from memtui_core.store.work.lock import read_holder

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.terminal import Terminal
from support.whole_index import WholeIndex, differences, whole_index

SESSIONS: Final = 2
WARM_UP: Final = 1 / 3
"""The share of the time after which nothing may grow any more."""
MEMORY_GROWTH: Final = (1.2, 40.0)
"""Times the memory after the warm-up, and megabytes beside that."""
FILES_GROWTH: Final = 25
"""Files in the data folder: segments of the keyword index come and go."""
HANDLES_GROWTH: Final = 30
DISK_GROWTH: Final = (20, 12_000_000)
"""Times the bytes appended, and bytes beside that."""
SLOWEST_P95: Final = 0.5
"""Seconds."""
LATE: Final = 0.1
"""Seconds after which a person notices that an answer takes time; such answers are counted."""
FOUND_AFTER: Final = 20.0
"""Seconds after which a line that was written must be found, even if the indexer was killed in between."""
REPLACED_AFTER: Final = 10.0
"""Seconds within which there is another indexer after one was killed."""
_REVIEWS: Final = {"reviews", "review_items"}
QUESTIONS: Final = ("price float", "retry timeout", "why does the upload fail", "part step7", "cart.py", "test")
HEAD = (
    f"{'min':>5}{'app MB':>9}{'indexer':>9}{'servers':>9}{'handles':>9}{'files':>7}{'MB':>8}{'queries':>9}{'p50 ms':>8}"
    f"{'p95 ms':>8}"
)


@dataclass(frozen=True, slots=True)
class Sample:
    """What is there at one moment."""

    app: float
    indexer: float
    servers: float
    """Megabytes."""
    handles: int
    """Open files of all processes."""
    files: int
    bytes: int
    appended: int


class Client:
    """An agent that asks a server of its own one question after the other."""

    def __init__(self, data: Path, number: int, growing: Growing) -> None:
        command = [sys.executable, "-m", "memtui", "mcp", "--data-dir", str(data)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.seconds: list[float] = []
        """Of each answer."""
        self.errors: list[str] = []
        self.wrong: list[str] = []
        self._number, self._growing, self._random = number, growing, Random(number)
        self._stop = threading.Event()
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}}
        self._ask("initialize", about)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> int:
        """End the server; its exit code."""
        self._stop.set()
        self._thread.join()
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(20)

    def _run(self) -> None:
        count = 0
        while not self._stop.wait(1.0):
            count += 1
            word = self._random.choice(list(self._growing.written)) if count % 2 else ""
            question = f'"{word}"' if word else QUESTIONS[(count + self._number) % len(QUESTIONS)]
            name, arguments = ("mem-search", {"query": question}) if count % 4 else ("mem-timeline", {})
            began = time.monotonic()
            answer = self._ask("tools/call", {"name": name, "arguments": {**arguments, "project": "all"}})
            self.seconds.append(time.monotonic() - began)
            if "error" in answer or answer["result"].get("isError"):
                self.errors.append(json.dumps(answer)[:300])
            elif word and began - self._growing.written[word] > FOUND_AFTER:
                self._check(word, json.dumps(answer), began)

    def _check(self, word: str, answer: str, at: float) -> None:
        """Whether an answer names the session of the line with a word, and not another one that grows."""
        if [one for one in self._growing.sessions if one in answer] != [self._growing.session_of(word)]:
            self.wrong.append(f"{word}, written {at - self._growing.written[word]:.0f} s before: {answer[:300]}")

    def _ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        self._send({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak")
    parser.add_argument("--source", type=Path, default=corpus.SAMPLES)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--clients", type=int, default=3)
    parser.add_argument("--kills", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        problems = soak(options.source.resolve(), Path(folder), options.minutes, options.clients, options.kills)
    for problem in problems:
        print(problem)
    print("flat" if not problems else f"{len(problems)} bounds are broken")
    sys.exit(bool(problems))


class Killer:
    """Kills the indexer at random moments, and waits for the next one, of the app or one that waits for the lock."""

    def __init__(self, data: Path, sources: Sequence[str], kills: int, seconds: float) -> None:
        self._data, self._kills, self._pause = DataDir(data), kills, seconds / max(1, kills)
        self._command = [sys.executable, "-m", "memtui", "index", "--watch", "--quiet", *sources]
        self._command += ["--data-dir", str(data)]
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.replaced: list[float] = []
        """Seconds until there was another indexer, of each kill."""

    def start(self) -> None:
        """Begin to kill."""
        if self._kills:
            self._thread.start()

    def stop(self) -> None:
        """Kill no more."""
        self._stop.set()
        if self._kills:
            self._thread.join()

    def _run(self) -> None:
        random, waiting = Random(1), subprocess.Popen(self._command, stderr=subprocess.DEVNULL)
        try:
            while not self._stop.wait(random.uniform(0.2, 1.8) * self._pause):
                if (holder := read_holder(self._data)) is not None:
                    with suppress(ProcessLookupError):
                        os.kill(holder.pid, signal.SIGKILL)
                    if holder.pid == waiting.pid:
                        waiting.wait()
                        waiting = subprocess.Popen(self._command, stderr=subprocess.DEVNULL)
                    if (took := self._await_other(holder.pid)) is not None:
                        self.replaced.append(took)
        finally:
            waiting.terminate()
            waiting.wait()

    def _await_other(self, pid: int) -> float | None:
        """Wait for another indexer than the one that was killed: the seconds, None if everything is to end."""
        began = time.monotonic()
        while (holder := read_holder(self._data)) is None or holder.pid == pid:
            if self._stop.wait(0.01):
                return None
        return time.monotonic() - began


def soak(source: Path, folder: Path, minutes: float, clients_wanted: int = 3, kills: int = 0) -> list[str]:
    """Run everything for some minutes; what is wrong."""
    data, growing = folder / "data", Growing(folder / "live", SESSIONS)
    sources = [argument for one in (source, folder / "live") for argument in ("--source", str(one))]
    killer = Killer(data, sources, kills, 60 * minutes)
    app = Terminal(
        [sys.executable, "-m", "memtui", *sources, "--data-dir", str(data)],
        {**os.environ, "TERM": "xterm-256color"},
        (140, 40),
    )
    reading = threading.Event()
    reader = threading.Thread(target=_use, args=(app, reading), daemon=True)
    clients: list[Client] = []
    samples: list[Sample] = []
    try:
        app.until(lambda _: DataDir(data).current.exists())
        reader.start()
        clients = [Client(data, number, growing) for number in range(clients_wanted)]
        growing.start()
        killer.start()
        print(HEAD, flush=True)
        began, seen = time.monotonic(), 0
        while (passed := time.monotonic() - began) < 60 * minutes:
            time.sleep(min(60.0, 60 * minutes / 6, max(0.1, 60 * minutes - passed)))
            samples.append(_sample(data, app.process.pid, clients, growing))
            seconds = [one for client in clients for one in client.seconds]
            _print((time.monotonic() - began) / 60, samples[-1], seconds[seen:])
            seen = len(seconds)
    finally:
        killer.stop()
        growing.stop()
        codes = [client.stop() for client in clients]
        reading.set()
        app.close()
    if kills:
        slowest = max(killer.replaced, default=0.0)
        print(f"{len(killer.replaced)} kills, another indexer after {statistics.median(killer.replaced):.1f} s,"
              f" at most {slowest:.1f} s")  # fmt: skip
    late = [f"an indexer was missing for {one:.1f} s" for one in killer.replaced if one > REPLACED_AFTER]
    return [*_problems(samples, clients, codes), *late, *_compared(sources, data, folder / "at once")]


def _compared(sources: Sequence[str], data: Path, other: Path) -> list[str]:
    """What an index has that is brought up to date, and not one that is made at once, and the other way round."""
    for one in (data, other):
        subprocess.run(
            [sys.executable, "-m", "memtui", "index", "--quiet", *sources, "--data-dir", str(one)], check=True
        )
    found = differences(_without_chance(data), _without_chance(other))
    print("The index is equal to one that was made at once." if not found else "The indexes differ.")
    return found


def _without_chance(data: Path) -> WholeIndex:
    """An index without reviews, which are made when there is time, and with vectors by their texts and models.

    What the model makes of a text differs a little by the texts beside it: it computes with eight bits.
    """
    index = whole_index(data)
    vectors = Counter({row[:2]: count for row, count in index["vectors"].items()})
    return {table: rows for table, rows in index.items() if table not in _REVIEWS} | {"vectors": vectors}


def _use(app: Terminal, ended: threading.Event) -> None:
    """Read what the app draws, and type a question now and then."""
    count = 0
    while not ended.is_set() and app.process.poll() is None:
        count += 1
        app.type("/" + QUESTIONS[count % len(QUESTIONS)].split()[0])
        app.type("\x1b")
        app.type("\x1b")
        app.all = b""
        ended.wait(5.0)


def _sample(data: Path, app: int, clients: Sequence[Client], growing: Growing) -> Sample:
    holder = read_holder(DataDir(data))
    servers = [client.process.pid for client in clients]
    pids = [app, *servers, *([holder.pid] if holder is not None else [])]
    files = [path for path in data.rglob("*") if path.is_file()]
    return Sample(
        memory(app),
        _memory(holder.pid) if holder is not None else 0.0,
        sum(map(memory, servers)),
        sum(map(_handles, pids)),
        len(files),
        sum(_size(path) for path in files),
        growing.bytes,
    )


def _memory(pid: int) -> float:
    """The megabytes of a process, which may have been killed."""
    try:
        return memory(pid)
    except (FileNotFoundError, StopIteration):
        return 0.0


def _handles(pid: int) -> int:
    try:
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    except FileNotFoundError:
        return 0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        # It was replaced in the meantime.
        return 0


def _print(minutes: float, sample: Sample, seconds: Sequence[float]) -> None:
    times = f"{1000 * statistics.median(seconds):8.0f}{1000 * _p95(seconds):8.0f}" if seconds else ""
    print(
        f"{minutes:5.1f}{sample.app:9.0f}{sample.indexer:9.0f}{sample.servers:9.0f}{sample.handles:9}{sample.files:7}"
        f"{sample.bytes / 1e6:8.1f}{len(seconds):9}{times}",
        flush=True,
    )


def _p95(seconds: Sequence[float]) -> float:
    return statistics.quantiles(seconds, n=20, method="inclusive")[18] if len(seconds) > 1 else seconds[0]


def _problems(samples: Sequence[Sample], clients: Sequence[Client], codes: Sequence[int]) -> list[str]:
    """What is beyond its bound."""
    problems = [f"an answer is an error: {error}" for client in clients for error in client.errors[:3]]
    problems += [f"an answer is wrong: {wrong}" for client in clients for wrong in client.wrong[:3]]
    problems += [f"a server ended with {code}" for code in codes if code]
    early = samples[: max(1, round(len(samples) * WARM_UP))]
    last = samples[-1]
    for name in ("app", "indexer", "servers"):
        before, after = max(getattr(one, name) for one in early), getattr(last, name)
        if after > MEMORY_GROWTH[0] * before + MEMORY_GROWTH[1]:
            problems.append(f"the memory of {name} grew from {before:.0f} to {after:.0f} MB")
    if last.files > max(one.files for one in early) + FILES_GROWTH:
        problems.append(f"the data folder has {last.files} files")
    if last.handles > max(one.handles for one in early) + HANDLES_GROWTH:
        problems.append(f"{last.handles} files are open")
    grew, appended = last.bytes - early[-1].bytes, last.appended - early[-1].appended
    if grew > DISK_GROWTH[0] * appended + DISK_GROWTH[1]:
        problems.append(f"the data folder grew by {grew} bytes for {appended} that were appended")
    seconds = [one for client in clients for one in client.seconds]
    late = sum(one > LATE for one in seconds)
    print(
        f"{len(seconds)} queries, p50 {1000 * statistics.median(seconds):.0f} ms, p95 {1000 * _p95(seconds):.0f} ms;"
        f" {late} took longer than {1000 * LATE:.0f} ms, at most {1000 * max(seconds):.0f} ms"
    )
    if _p95(seconds) > SLOWEST_P95:
        problems.append(f"one of twenty answers takes longer than {_p95(seconds):.2f} s")
    return problems


if __name__ == "__main__":
    main()
