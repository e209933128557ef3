"""How much of what a session looks up again stands in what its agent gets at a start and after a compaction.

python -m bench.told [--source FOLDER | --data-dir FOLDER] [--json]

After a compaction: the files that the session had opened before it and opens again until the next one, and the earlier
prompts that the user repeats. At a start: the files that the session opens and that an earlier session of the project
had opened, and the sessions that had edited one of them. Beside the reminder stand the files that were opened last, as
many as fit into the same room. Nobody sees what was done since.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import asdict
from pathlib import Path

from bench import corpus, processes
from bench.told.measure import Row, rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.told")
    parser.add_argument("--source", type=Path, default=corpus.SAMPLES, help="transcripts to index first")
    parser.add_argument("--data-dir", type=Path, help="an index that is there already")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = options.data_dir or Path(folder)
        if options.data_dir is None:
            processes.index(options.source.absolute(), data)
        found = rows(data)
    if options.json:
        print(json.dumps([asdict(row) for row in found], indent=2))
        return
    print(f"{'when':20}{'way':22}{'cases':>6}{'silent':>8}{'files':>12}{'turns':>10}{'bytes':>7}")
    for row in found:
        print(_line(row))


def _line(row: Row) -> str:
    files, turns = f"{row.files_named}/{row.files}", f"{row.turns_cited}/{row.turns}"
    return f"{row.when:20}{row.way:22}{row.cases:6}{row.silent:8}{files:>12}{turns:>10}{row.bytes:7}"


if __name__ == "__main__":
    main()
