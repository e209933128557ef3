"""How many lines of files are claimed for the turn that wrote them, and how many of the claims are right.

python -m bench.blame [--source FOLDER | --data-dir FOLDER] [--commits] [--wrong N] [--sample N] [--json]

The edits of real sessions are replayed into files. Then lines are typed, changed, moved and indented by others, and
each claim is compared with who wrote the line. `--wrong` prints claims that are wrong, with the lines around them, and
`--sample` any, to be judged by reading. `--commits` also commits the files of each project at once, and asks who is
behind the commit.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random

from bench import corpus, processes
from bench.blame.histories import commit_rows
from bench.blame.measure import Row, Verdict, rows, verdicts
from bench.blame.replay import replayed_files


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.blame")
    parser.add_argument("--source", type=Path, default=corpus.SAMPLES, help="transcripts to index first")
    parser.add_argument("--data-dir", type=Path, help="an index that is there already")
    parser.add_argument("--wrong", type=int, default=0, help="wrong claims to print")
    parser.add_argument("--sample", type=int, default=0, help="claims to print, whether right or wrong")
    parser.add_argument("--commits", action="store_true", help="also squash and cherry-pick commits; needs git")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = options.data_dir or Path(folder)
        if options.data_dir is None:
            processes.index(options.source.absolute(), data)
        files = list(replayed_files(data))
        commits = list(commit_rows(data)) if options.commits else []
    judged = list(verdicts(files))
    if options.json:
        counted = {"rows": [asdict(row) for row in rows(judged)], "commits": [asdict(row) for row in commits]}
        print(json.dumps({"files": len(files), **counted}, indent=2))
        return
    print(f"{len(files)} files, {sum(len(file.lines) for file in files)} lines\n\n{table(rows(judged))}")
    for row in commits:
        counts = f"{row.files} files, {row.written} lines, {row.claimed} claimed, {row.right} right"
        print(f"{row.project}, {row.commit}: {counts}")
    claims = [one for one in judged if one.claimed is not None]
    wrong = [one for one in claims if not one.is_right]
    for one in (*_some(wrong, options.wrong), *_some(claims, options.sample)):
        print(f"\n{_shown(one)}")


def table(counted: Sequence[Row]) -> str:
    """The rows as a table."""
    head = f"{'change':<16}{'agent':<14}{'lines':>8}{'recall':>8}{'telling':>9}{'claims':>8}{'precision':>11}"
    return "\n".join(
        [
            head,
            *(
                f"{row.change:<16}{row.agent:<14}{row.owned:>8}{row.recall:>8.3f}{row.telling_recall:>9.3f}{row.claimed:>8}{row.precision:>11.4f}"
                for row in counted
            ),
        ]
    )


def _some(judged: Sequence[Verdict], count: int) -> list[Verdict]:
    return Random(1).sample(judged, min(count, len(judged)))


def _shown(one: Verdict) -> str:
    """A claim with the lines around it."""
    first = max(0, one.number - 4)
    around = enumerate(one.lines[first : one.number + 3], first + 1)
    lines = (f"{'>' if number == one.number else ' '} {number:>5} {text}" for number, text in around)
    title = f"{one.file.path} ({one.change}): written by {one.line.owner}, claimed for {one.claimed}"
    return "\n".join([title, *lines])


if __name__ == "__main__":
    main()
