"""Kills the process that writes an index, at random moments and at each named step, and compares the indexes.

python -m bench.kills [--source FOLDER] [--kills N] [--only SCENARIO] [--seed N]

Every index is compared row by row, ids aside, with that of a run which was never killed: all tables, the turns that the
keyword index finds, the vectors. Ends with 1 if one differs, a run does not come to its end, or a worker outlives its
indexer by more than ten seconds. Linux.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from bench import corpus
from bench.kills.killing import MOST_OUTLIVED, Killing, Outcome
from bench.kills.scenarios import SCENARIOS

HEAD = f"{'':16}{'s a run':>9}{'kills':>7}{'runs equal':>12}{'differ':>8}{'failed':>8}{'outlived s':>12}"
MOST_IN_A_ROW = 3
"""The most kills of one after the other before a run comes to its end."""


def main() -> None:
    """Kill and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.kills")
    parser.add_argument("--source", type=Path, default=corpus.SAMPLES)
    parser.add_argument("--kills", type=int, default=200, help="random ones, over all scenarios")
    parser.add_argument("--only", action="append", choices=[one.name for one in SCENARIOS])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chosen = [one for one in SCENARIOS if not options.only or one.name in options.only]
    random, is_good, total, began = Random(options.seed), True, Outcome(), time.monotonic()
    print(HEAD, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for scenario in chosen:
            killing = Killing(scenario, options.source, Path(folder))
            for step in scenario.steps:
                killing.kill_at(step)
            wanted = killing.outcome.kills + max(1, options.kills // len(chosen))
            while killing.outcome.kills < wanted:
                times = random.randint(1, min(MOST_IN_A_ROW, wanted - killing.outcome.kills))
                killing.kill_after([random.uniform(0.1, killing.seconds) for _ in range(times)])
            is_good &= _print(scenario.name, killing.seconds, killing.outcome)
            total.kills += killing.outcome.kills
            total.equal += killing.outcome.equal
    print(f"{total.kills} kills, {total.equal} equal indexes, {time.monotonic() - began:.0f} s")
    sys.exit(not is_good)


def _print(name: str, seconds: float, outcome: Outcome) -> bool:
    """A row, and what is wrong; whether nothing is."""
    print(
        f"{name:16}{seconds:9.1f}{outcome.kills:7}{outcome.equal:12}{len(outcome.differing):8}{len(outcome.failed):8}"
        f"{outcome.outlived:12.2f}",
        flush=True,
    )
    for text in (*outcome.differing, *(f"does not come to its end: {one}" for one in outcome.failed)):
        print(f"  {text}", flush=True)
    if outcome.passed:
        print(f"  not reached: {', '.join(outcome.passed)}", flush=True)
    return not (outcome.differing or outcome.failed or outcome.passed or outcome.outlived > MOST_OUTLIVED)


if __name__ == "__main__":
    main()
