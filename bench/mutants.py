"""Mutation testing: the share of small changes to the core that no test notices.

A random sample of the changes that mutmut makes (an operator, a number, a text, an argument, an assignment), each tried
alone in a copy of the checkout against the tests of its area that run the changed function, until one fails. Type
annotations, docstrings, imports and decorated functions are not changed. A change that runs out of time counts as
noticed. An area whose tests fail without any change is left out, and the exit code is 1.

python -m bench.mutants [--most N] [--seed N] [--minutes N] [--area NAME]...
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from bench.mutation.changes import Change, places
from bench.mutation.trial import Baseline, BaselineFails, Checkout, Outcome

CORE = "core/memtui_core"


@dataclass(frozen=True, slots=True)
class Area:
    """Modules, and the test files in tests/core that prove them."""

    name: str
    modules: Sequence[str]
    """Patterns of paths below the core."""
    tests: Sequence[str]
    """Names without `test_` and `.py`."""

    def module_files(self, root: Path) -> list[Path]:
        """The modules in a checkout."""
        return sorted({path for pattern in self.modules for path in _files(root / CORE, pattern)})

    def test_files(self, root: Path) -> list[str]:
        """Paths of the test files in a checkout."""
        found = (path for name in self.tests for path in _files(root, f"tests/core/**/test_{name}.py"))
        return [path.relative_to(root).as_posix() for path in found]


def _files(folder: Path, pattern: str) -> list[Path]:
    if found := list(folder.glob(pattern)):
        return found
    raise SystemExit(f"{folder} has no {pattern}: the areas are not up to date")


AREAS = (
    Area(
        "readers",
        ["readers/*.py", "readers/conversion/*.py", "readers/formats/*.py", "readers/agents/claude_code/*.py"],
        ["reader", "turns", "clocks", "controls", "locations", "cleanup", "made_up_agent"],
    ),
    Area("turns", ["ingest/turns/*.py"], ["turns", "reader"]),
    Area(
        "ingest",
        ["ingest/**/*.py"],
        [
            *("ingest", "walk", "mentions_indexed", "backlog", "speed", "typing", "lexicon_pieces", "growing", "watch"),
            "made_up_agent",
        ],
    ),
    Area(
        "search",
        [
            *(f"search/{name}.py" for name in ("pipeline", "engines", "fusion", "path_search", "hits")),
            "search/passages/*.py",
            "store/lexicon/*.py",
        ],
        ["search", "scope", "path_search", "passages", "passage_ranking", "lexicon", "lexicon_files", "lexicon_pieces"],
    ),
    Area("recall", ["memory/recall/*.py"], ["recall"]),
    Area("redact", ["text/redaction.py"], ["redaction"]),
)


def main() -> int:
    """Try changes of every area in turn, and print what survived; 1 if the tests of an area fail without any."""
    parser = argparse.ArgumentParser(prog="python -m bench.mutants")
    parser.add_argument("--most", type=int, default=20, help="changes tried in each area")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no change after so many")
    parser.add_argument("--area", choices=[area.name for area in AREAS], action="append")
    options = parser.parse_args()
    until = time.monotonic() + 60 * options.minutes
    areas = [area for area in AREAS if not options.area or area.name in options.area]
    root = Path(__file__).parents[1]
    outcomes: dict[str, list[Outcome]] = {area.name: [] for area in areas}
    with tempfile.TemporaryDirectory() as folder:
        checkout = Checkout.of(root, Path(folder))
        baselines: dict[str, Baseline] = {}
        for area in areas:
            try:
                baselines[area.name] = checkout.baseline(area.name, area.test_files(root))
            except BaselineFails as error:
                print(error, file=sys.stderr)
        sound = [area for area in areas if area.name in baselines]
        with suppress(KeyboardInterrupt):  # what was tried until then is told
            for area, change in in_turn(root, sound, options.most, options.seed):
                if time.monotonic() > until:
                    break
                outcome = checkout.attempt(change, baselines[area.name])
                outcomes[area.name].append(outcome)
                print(f"{area.name:8} {outcome.verdict:8} {change.path}:{change.line}", file=sys.stderr)
    print_outcomes(outcomes)
    return 0 if sound == areas else 1


def in_turn(root: Path, areas: Sequence[Area], most: int, seed: int) -> Iterator[tuple[Area, Change]]:
    """The first change of every area, then the second of every area, and so on: the same for the same seed."""
    samples = []
    for area in areas:
        everywhere = [place for path in area.module_files(root) for place in places(root, path)]
        chance = random.Random(f"{seed} {area.name}")
        sample = chance.sample(everywhere, min(most, len(everywhere)))
        samples.append([(area, place.change(chance)) for place in sample])
    for row in zip_longest(*samples):
        yield from (each for each in row if each)


def print_outcomes(outcomes: dict[str, list[Outcome]]) -> None:
    """A table of the areas, then every change that no test noticed."""
    print(f"{'area':8} {'tried':>6} {'killed':>7} {'by time':>8} {'survived':>9} {'share surviving':>16}")
    rows = [*outcomes.items(), ("all", [each for area in outcomes.values() for each in area])]
    for name, tried in rows:
        count = {verdict: sum(each.verdict == verdict for each in tried) for verdict in ("killed", "time", "survived")}
        share = f"{count['survived'] / len(tried):16.0%}" if tried else f"{'-':>16}"
        killed = count["killed"] + count["time"]
        print(f"{name:8} {len(tried):6} {killed:7} {count['time']:8} {count['survived']:9} {share}")
    for _, tried in rows[:-1]:
        for each in tried:
            if each.verdict == "survived":
                print(f"\n{each.change.path}:{each.change.line} ({each.tests} tests)\n{each.change.diff}")


if __name__ == "__main__":
    sys.exit(main())
