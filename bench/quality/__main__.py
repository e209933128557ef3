"""Mean reciprocal rank and recall among the first ten hits, for each engine alone and for all together.

The last column is the share of the questions answered whose first passage shows the answer.

python -m bench.quality [--source FOLDER | --data-dir FOLDER] [--half tune|report] [--most N] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench import processes
from bench.quality import known_items, measure
from memtui_core.errors import ModelUnavailable
from memtui_core.index import Index

_SAMPLES = Path(__file__).parents[2] / "sample_sessions" / "projects"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality")
    parser.add_argument("--source", type=Path, default=_SAMPLES, help="transcripts to index first")
    parser.add_argument("--data-dir", type=Path, help="an index that is there already")
    parser.add_argument("--half", choices=("tune", "report"), help="the questions of one half of the sessions")
    parser.add_argument("--most", type=int, default=60, help="questions of each kind that is made")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = options.data_dir or Path(folder)
        if options.data_dir is None:
            processes.index(options.source.absolute(), data)
        rows = run(data, options.half, options.most)
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
    else:
        print(table(rows))


def run(data_dir: Path, half: str | None = None, most: int = 60) -> list[measure.Row]:
    """Make the questions of an index and measure; without vectors or model the engine by meaning is left out."""
    index = Index.open(data_dir)
    engines = dict(measure.ENGINES)
    try:
        by_meaning = index.load_model(threads=2)
    except ModelUnavailable as error:
        print(error, file=sys.stderr)
        by_meaning = False
    if not by_meaning:
        del engines["meaning"]
    questions = known_items.make(data_dir, most)
    return measure.rows(index, [one for one in questions if half in (None, one.half)], list(engines))


def table(rows: Sequence[measure.Row]) -> str:
    """A line a kind, MRR and recall of each engine side by side, then how often the first passage of all answers."""
    engines = list(dict.fromkeys(row.engine for row in rows))
    lines = [
        f"{'':12}{'':>6}" + "".join(f"{engine:>16}" for engine in engines),
        f"{'kind':12}{'asked':>6}" + f"{'MRR@10':>9}{'R@10':>7}" * len(engines) + f"{'passage':>9}",
    ]
    for kind in dict.fromkeys(row.kind for row in rows):
        mine = [row for row in rows if row.kind == kind]
        figures = "".join(f"{row.mrr:9.3f}{row.recall:7.2f}" for row in mine)
        lines.append(f"{kind:12}{mine[0].questions:6}{figures}{mine[-1].passage:9.2f}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
