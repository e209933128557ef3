"""How well reviews of compactions tell what was lost, on compactions that were judged by hand, and how fast they open.

python -m bench.review [--source FOLDER | --data-dir FOLDER] [--half tune|aside] [--json]
python -m bench.review --claims [--source FOLDER | --data-dir FOLDER]
python -m bench.review --times [--compactions N]

The judged compactions are of transcripts that are not part of memtui: without them there is nothing to measure. With
`--claims`, sentences of whole sessions are compared with the states of the checks at all other times, because summaries
that contradict a check are too rare to judge the rule. With `--times`, N sessions with a compaction each are made and
indexed, and the list and the reviews are opened.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import asdict
from pathlib import Path

from bench import processes
from bench.review import claims, opening
from bench.review.judged import Judged, judged_compactions
from bench.review.measure import Score, score, table, total
from memtui_core.compaction import Review
from memtui_core.index.index import Index

_LINES_BETWEEN = 3
"""A boundary stands at most so many lines before its summary."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.review")
    parser.add_argument("--source", type=Path, help="transcripts to index first")
    parser.add_argument("--data-dir", type=Path, help="an index that is there already")
    parser.add_argument("--half", choices=("tune", "aside"), help="one half of the judged compactions")
    parser.add_argument("--claims", action="store_true", help="what would be called wrong at other times of sessions")
    parser.add_argument("--times", action="store_true", help="how fast the list and a review open")
    parser.add_argument("--compactions", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.times:
        print(opening.report(options.compactions))
        return
    if options.source is None and options.data_dir is None:
        parser.error("give the transcripts with --source, or an index with --data-dir")
    with tempfile.TemporaryDirectory() as folder:
        data = options.data_dir or Path(folder)
        if options.data_dir is None:
            processes.index(options.source.absolute(), data)
        if options.claims:
            print(claims.report(data))
            return
        scores, missing = run(data, [one for one in judged_compactions() if options.half in (None, one.half)])
    if options.json:
        print(json.dumps({"compactions": [asdict(one) for one in scores], "not indexed": missing}, indent=2))
        return
    print(table(scores))
    if missing:
        print(f"not in the index: {', '.join(missing)}")


def run(data_dir: Path, judged: list[Judged]) -> tuple[list[Score], list[str]]:
    """The scores of the judged compactions that are in an index, with their sums, and the names of the others."""
    index = Index.open(data_dir)
    reviews = {(review.session_id, review.line): review for review in index.compactions.reviews()}
    scores: list[Score] = []
    halves: dict[str, list[Score]] = {}
    missing = []
    for one in judged:
        review = _review_of(one, reviews)
        if review is None:
            missing.append(one.name)
            continue
        scores.append(score(one, review))
        halves.setdefault(one.half, []).append(scores[-1])
    sums = [total(f"all of {half}", of_half) for half, of_half in halves.items()]
    return [*scores, *sums], missing


def _review_of(judged: Judged, reviews: dict[tuple[str, int], Review]) -> Review | None:
    at = judged.line - 1
    found = (reviews.get((judged.session, line)) for line in range(at, at - _LINES_BETWEEN - 1, -1))
    return next((review for review in found if review is not None), None)


if __name__ == "__main__":
    main()
