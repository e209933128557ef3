"""How often an agent is reminded of the session that worked on a file before, and in how many tokens.

python -m bench.recall [--source FOLDER | --data-dir FOLDER] [--half tune|report] [--most N] [--each] [--json]

At moments when a session first touches a file that an earlier session of the project had edited, the request of that
moment is asked of `mem-search`, as it is and by its words alone, in the project and in all; beside them stand what the
hooks tell of the file and of the prompt. Nobody sees what was done since.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median

from bench import corpus, processes
from bench.recall.measure import TOP, Outcome, Row, outcomes, rows
from bench.recall.moments import Moment, chosen, moments
from bench.recall.ways import ways


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.recall")
    parser.add_argument("--source", type=Path, default=corpus.SAMPLES, help="transcripts to index first")
    parser.add_argument("--data-dir", type=Path, help="an index that is there already")
    parser.add_argument("--half", choices=("tune", "report"), help="the moments of one half of the sessions")
    parser.add_argument("--most", type=int, default=50, help="moments that are asked about")
    parser.add_argument("--each", action="store_true", help="also the rank at each moment")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = options.data_dir or Path(folder)
        if options.data_dir is None:
            processes.index(options.source.absolute(), data)
        found, asked = run(data, options.half, options.most)
    if options.json:
        kept = {"moments": len(found), "files": sum(one.files for one in found)}
        print(json.dumps({**kept, "rows": [asdict(row) for row in rows(asked)]}, indent=2))
        return
    print(summary(found, list(dict.fromkeys(one.moment for one in asked))))
    if asked:
        print(f"\n{table(rows(asked))}")
    if options.each and asked:
        print(f"\n{each(asked)}")


def run(data_dir: Path, half: str | None = None, most: int = 50) -> tuple[list[Moment], list[Outcome]]:
    """All moments of an index, and what every way was worth at those that were chosen."""
    found = moments(data_dir)
    picked = chosen([one for one in found if half in (None, one.half)], most)
    return found, outcomes(picked, ways(data_dir))


def summary(found: Sequence[Moment], asked: Sequence[Moment]) -> str:
    """How many moments there are, and among how many sessions the right one had to be found."""
    files, sessions, roots = (
        sum(one.files for one in found),
        {one.session for one in asked},
        {one.root for one in asked},
    )
    lines = [f"{len(found)} moments ({files} files) in the index; asked: {len(asked)}, of {len(sessions)} sessions of"
             f" {len(roots)} projects."]  # fmt: skip
    if asked:
        others = sorted(one.others for one in asked)
        lines.append(
            f"Earlier sessions of the project at a moment: {others[0]} to {others[-1]}, median {median(others):g}."
        )
    return "\n".join(lines)


def table(found: Sequence[Row]) -> str:
    """A line a way."""
    hits = f"hit@{TOP}"
    lines = [f"{'way':26}{'asked':>6}{hits:>8}{'MRR':>8}{'silent':>8}{'tokens':>8}{'p95':>7}"]
    for row in found:
        lines.append(
            f"{row.way:26}{row.moments:6}{row.hits:8.2f}{row.mrr:8.3f}{row.silent:8.2f}{row.tokens:8.0f}{row.tokens_p95:7}"
        )
    return "\n".join(lines)


def each(found: Sequence[Outcome]) -> str:
    """A line a moment: the rank that each way gave it, `-` where it was not found, `.` where nothing was said."""
    by_moment: dict[Moment, list[Outcome]] = {}
    for one in found:
        by_moment.setdefault(one.moment, []).append(one)
    lines = []
    for moment, told in by_moment.items():
        ranks = "".join(f"{one.rank or ('-' if one.results else '.'):>4}" for one in told)
        lines.append(f"{ranks}  {moment.session}:{moment.turn}  {moment.path}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
