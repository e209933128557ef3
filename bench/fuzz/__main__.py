"""Mutated inputs of everything that memtui reads, and which of them raise what no input may raise.

Readers of all agents (with rows and documents), the parsers of queries and files, rendering at widths from 1 to 200,
redaction, hooks and the tools of the MCP server. Every input has a number: `--target NAME --number N` with the same
`--seed` tries it alone, and prints the traceback. The exit code is 1 if an input failed.

python -m bench.fuzz [--inputs N] [--seed N] [--minutes N] [--processes N] [--target NAME]... [--number N]
"""

from __future__ import annotations

import argparse
import logging
import math
import multiprocessing
import sys
import time
from collections.abc import Sequence
from functools import partial

from bench.fuzz import files, questions, screen, transcripts
from bench.fuzz.target import Outcome, Target, run

_PIECE = 5000
"""The most inputs of a target that one task has."""


def all_targets() -> dict[str, Target]:
    """The targets by name."""
    found = [*transcripts.targets(), *screen.targets(), *questions.targets(), *files.targets()]
    return {target.name: target for target in found}


def main(arguments: Sequence[str]) -> int:
    """Try the inputs, print how many of each target failed, and return the exit code."""
    options = _options(arguments)
    logging.disable(logging.CRITICAL)
    targets = all_targets()
    chosen = [
        target for name, target in targets.items() if not options.target or any(n in name for n in options.target)
    ]
    until = time.monotonic() + options.minutes * 60
    if options.number is not None:
        outcomes = [run(target, options.seed, iter([options.number]), until) for target in chosen]
    else:
        outcomes = _run_all(chosen, options, until)
    _print(outcomes, options.seed)
    return 1 if any(outcome.failures for outcome in outcomes) else 0


def _run_all(chosen: Sequence[Target], options: argparse.Namespace, until: float) -> list[Outcome]:
    unit = options.inputs / sum(target.weight for target in chosen)
    tasks = []
    for target in chosen:
        count = math.ceil(unit * target.weight)
        tasks += [
            (target.name, options.seed, first, min(count, first + _PIECE), until) for first in range(0, count, _PIECE)
        ]
    # Pieces of all targets in turn, so that an early end leaves none out.
    tasks.sort(key=lambda task: task[2])
    with multiprocessing.get_context("fork").Pool(options.processes, maxtasksperchild=4) as pool:
        return list(pool.imap_unordered(_task, tasks))


def _task(task: tuple[str, int, int, int, float]) -> Outcome:
    name, seed, first, last, until = task
    logging.disable(logging.CRITICAL)
    return run(all_targets()[name], seed, iter(range(first, last)), until)


def _print(outcomes: Sequence[Outcome], seed: int) -> None:
    joined: dict[str, Outcome] = {}
    for one in outcomes:
        whole = joined.setdefault(one.name, Outcome(one.name))
        whole.inputs += one.inputs
        whole.seconds += one.seconds
        whole.slowest = max(whole.slowest, one.slowest)
        for where, failure in one.failures.items():
            known = whole.failures.setdefault(where, failure)
            if known is not failure:
                known.numbers += failure.numbers
    say = partial(print, flush=True)
    for name, one in sorted(joined.items()):
        failed = sum(len(failure.numbers) for failure in one.failures.values())
        say(f"{name:24} {one.inputs:9,} inputs {one.seconds:8.1f} s, slowest {one.slowest:5.2f} s {failed:6} failed")
    say(f"{'all':24} {sum(one.inputs for one in outcomes):9,} inputs, seed {seed}")
    for name, one in sorted(joined.items()):
        for where, failure in sorted(one.failures.items()):
            say(f"\n{name}: {where}, {len(failure.numbers)} times, --number {min(failure.numbers)}\n{failure.trace}")


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.fuzz", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--inputs", type=int, default=20_000, help="inputs of all targets together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60.0, help="when to end even if inputs are left")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--target", action="append", help="a part of the name of a target; may be repeated")
    parser.add_argument("--number", type=int, help="try only the input with this number, of each target")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
