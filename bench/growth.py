"""What grows with the history: indexing, memory, disk, a refresh, one more turn, and search, beside several sizes.

python -m bench.growth [--gigabytes 0.1 1 5] [--beside COMMAND] [--json]

The transcripts are invented and always the same; those of a smaller size begin those of a larger one. Everything is
measured in processes of its own, without vectors. The floor under indexing is a bare orjson pass over the same files.
With `--beside`, another program reads the same transcripts: a command of the shell with {source} for their folder and
{data} for an empty one.
"""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from bench import processes
from bench.rows import Row, as_json

TIMES: Final = 3
"""Refreshes and appended turns of each size; their median is given."""
QUERIES: Final = 200
_OPTIONS: Final = ("--no-embed", "--agent", "claude-code")
"""The agent is known, as it is for the agents' own folders."""
_WRITE: Final = """
import sys
from pathlib import Path
from bench import sessions
print(sessions.write_bytes(Path(sys.argv[1]), int(sys.argv[2])))
"""
_APPEND: Final = """
import sys
from pathlib import Path
from bench import sessions
sessions.append_turn(Path(sys.argv[1]), int(sys.argv[2]))
"""
_SEARCH: Final = """
import json, sys
from pathlib import Path
from bench import searching
from memtui_core.index.index import Index
data, count = Path(sys.argv[1]), int(sys.argv[2])
keywords, _ = searching.queries(data, count)
print(json.dumps(searching.latencies(Index.open(data), keywords)))
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement at one size, with its samples if there are several, and the floor under it."""

    name: str
    unit: str
    samples: tuple[float, ...]
    floor: float | None = None

    @property
    def value(self) -> float:
        """The median."""
        return statistics.median(self.samples)


@dataclass(frozen=True, slots=True)
class Size:
    """All measurements at one size."""

    gigabytes: float
    figures: tuple[Figure, ...]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth")
    parser.add_argument("--gigabytes", type=float, nargs="+", default=[0.1, 1.0])
    parser.add_argument("--beside", metavar="COMMAND")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sizes = []
    for gigabytes in sorted(options.gigabytes):
        print(f"measuring {gigabytes:g} GB", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            sizes.append(measure(gigabytes, Path(folder), options.beside))
    print(as_json(rows(sizes)) if options.json else table(sizes))


def measure(gigabytes: float, folder: Path, beside: str | None = None) -> Size:
    """All figures at one size; `beside` is the command of another program."""
    source, data = folder / "source", folder / "data"
    # In processes of their own: the peak memory of a process counts that of the one which started it.
    size = int(processes.run("-c", _WRITE, str(source), str(int(gigabytes * 1e9))).output)
    newest = max(source.rglob("*.jsonl"), key=lambda path: path.name)
    floor = processes.bare_pass(source)
    first = processes.index(source, data, *_OPTIONS)[0]
    others: tuple[Figure, ...] = ()
    if beside is not None:
        other = processes.run_program("sh", "-c", command_beside(beside, source, folder / "beside"))
        others = (
            Figure("the other program, processor", "s", (other.processor,), floor.processor),
            Figure("the other program, wall", "s", (other.seconds,), floor.seconds),
        )
    disk = sum(path.stat().st_size for path in data.rglob("*") if path.is_file()) / 1e6
    again = [processes.index(source, data, *_OPTIONS)[0] for _ in range(TIMES)]
    appended = []
    for number in range(TIMES):
        processes.run("-c", _APPEND, str(newest), str(number))
        run, counts = processes.index(source, data, *_OPTIONS)
        if not counts["turns_written"]:
            raise SystemExit(f"The appended turn of {newest} was not indexed")
        appended.append(run)
    p50, p95 = latencies(data)
    return Size(
        gigabytes,
        (
            Figure("transcripts", "MB", (size / 1e6,)),
            Figure("bare orjson pass, processor", "s", (floor.processor,)),
            Figure("indexing, processor", "s", (first.processor,), floor.processor),
            Figure("indexing, wall", "s", (first.seconds,), floor.seconds),
            *others,
            Figure("indexing, peak memory", "MB", (first.megabytes,), floor.megabytes),
            Figure("disk", "MB", (disk,), size / 1e6),
            Figure("refresh with nothing new, processor", "s", tuple(run.processor for run in again)),
            Figure("refresh with nothing new, wall", "s", tuple(run.seconds for run in again)),
            Figure("one turn appended, processor", "s", tuple(run.processor for run in appended)),
            Figure("one turn appended, wall", "s", tuple(run.seconds for run in appended)),
            Figure("search by words, p50", "ms", (p50,)),
            Figure("search by words, p95", "ms", (p95,)),
        ),
    )


def command_beside(template: str, source: Path, data: Path) -> str:
    """The command of another program, with the folders in the places of their names."""
    data.mkdir()
    return template.format(source=shlex.quote(str(source)), data=shlex.quote(str(data)))


def latencies(data: Path) -> tuple[float, float]:
    """p50 and p95 in milliseconds of warm searches by words, in a process of their own."""
    p50, p95 = json.loads(processes.run("-c", _SEARCH, str(data), str(QUERIES)).output)
    return p50, p95


def rows(sizes: Sequence[Size]) -> Iterator[Row]:
    """Each figure at each size, and how many times it grew from one size to the next beside the transcripts."""
    for size in sizes:
        for figure in size.figures:
            samples = figure.samples if len(figure.samples) > 1 else ()
            yield Row(
                f"{figure.name} at {size.gigabytes:g} GB", figure.value, figure.unit, figure.floor, "its floor", samples
            )
    for (one, other), times in zip(pairwise(sizes), growth(sizes), strict=True):
        for name, factor in times.items():
            between = f"{one.gigabytes:g} to {other.gigabytes:g} GB"
            yield Row(f"{name}, {between}", factor, "x", times["transcripts"], "the transcripts")


def growth(sizes: Sequence[Size]) -> list[dict[str, float]]:
    """How many times each figure grew from each size to the next."""
    return [
        {
            before.name: after.value / before.value
            for before, after in zip(one.figures, other.figures, strict=True)
            if before.value
        }
        for one, other in pairwise(sizes)
    ]


def table(sizes: Sequence[Size]) -> str:
    """A line a figure: at each size with its floor, then its growth from each size to the next."""
    head = [f"{size.gigabytes:g} GB" for size in sizes]
    head += [f"{one.gigabytes:g}->{other.gigabytes:g}" for one, other in pairwise(sizes)]
    lines = [_line("", head)]
    grown = growth(sizes)
    for at, figure in enumerate(sizes[0].figures):
        cells = [_cell(size.figures[at]) for size in sizes]
        cells += [f"{times[figure.name]:.2f}x" if figure.name in times else "-" for times in grown]
        lines.append(_line(f"{figure.name} ({figure.unit})", cells))
    return "\n".join(lines)


def _line(name: str, cells: Iterable[str]) -> str:
    return f"{name:42}" + "".join(f"{cell:>18}" for cell in cells)


def _cell(figure: Figure) -> str:
    beside = f" ({figure.value / figure.floor:.2f}x)" if figure.floor else ""
    return f"{figure.value:.4g}{beside}"


if __name__ == "__main__":
    main()
