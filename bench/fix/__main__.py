"""How often the first answer to an error is the turn that mended it, and how often a hook is wrong about one.

python -m bench.fix --data-dir FOLDER [--list]

Each error of the index is asked for as if it came up again, and the answer is compared with `judged.jsonl`: what a
reader of the transcripts found about it, without their texts. `turn` is whether the answer names the turn that mended
the error, `change` whether it names the very edit or command; for an answer without a change both say whether it is
right. An answer that has changed since is not counted. Then each failed call is given to the hook, once with the
sessions beside its own, as in real use, and once with its own session, as if it came back in a later one. `--list`
prints the answers, to be judged.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from memtui_core.index.index import Index
from memtui_core.memory.fixes.known_errors import KnownError, cases_of_turn
from memtui_core.queries.activity.episodes import IN_ORDER, RUNS, as_runs
from memtui_core.queries.activity.mended_errors import mended_errors
from memtui_core.store.snapshot.reader import Snapshot

_JUDGED: Final = Path(__file__).parent / "judged.jsonl"
_FAILURES: Final = (
    "SELECT f.session, s.session_id, s.root, t.number, f.seq, f.number FROM facts f JOIN turns t ON t.id = f.turn"
    " JOIN sessions s ON s.key = f.session WHERE f.kind = 'failure' AND NOT s.hidden"
    " ORDER BY f.session, t.number, f.seq"
)
_Place = tuple[str, int, int]
"""The beginning of the id of a session, the turn, and `Block.seq` of the call that failed."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.fix")
    parser.add_argument("--data-dir", type=Path, required=True, help="an index that is there already")
    parser.add_argument("--list", action="store_true", help="print the answers")
    options = parser.parse_args()
    snapshot = Index.open(options.data_dir).snapshot
    cases = list(_cases(snapshot))
    judged = {_place(row): row for row in map(json.loads, _JUDGED.read_text().splitlines())}
    print(f"{len(cases)} cases of errors: {dict(Counter(case.end for case in cases))}")
    for is_fixed in (True, False):
        rows = [
            row
            for case in cases
            if (case.end == "fixed") == is_fixed
            and (row := judged.get(_of(case))) is not None
            and (row.get("end"), row.get("mended")) == _answer(case)
        ]
        turns, changes = (sum(row[right] for row in rows) for right in ("turn", "change"))
        print(f"{'with' if is_fixed else 'without'} a change: turn {turns}, change {changes} of {len(rows)} judged")
    if options.list:
        for case in cases:
            session, turn, seq = _of(case)
            end, mended = _answer(case)
            print(json.dumps({"session": session, "at": turn, "seq": seq, "end": end, "mended": mended}))
    _hook(snapshot)


def _cases(snapshot: Snapshot) -> Iterator[KnownError]:
    """The cases of commands that failed, each once."""
    seen: set[_Place] = set()
    for session, _, _, turn, _, key in snapshot.rows(_FAILURES):
        for case in cases_of_turn(snapshot, session, turn, 1000) if key else ():
            if _of(case) not in seen and case.session.key == session:
                seen.add(_of(case))
                yield case


def _hook(snapshot: Snapshot) -> None:
    failures = snapshot.rows(_FAILURES)
    roots = {session: root for session, _, root, *_ in failures}
    mended: dict[tuple[str, int], set[int]] = {}
    for session, group in groupby(as_runs(snapshot.rows(f"{RUNS} {IN_ORDER}")), key=lambda run: run.session):
        for one in mended_errors(list(group)):
            mended.setdefault((roots[session], one.failed.key), set()).add(session)
    found = [(session, mended.get((root, key), set())) for session, _, root, _, _, key in failures]
    told = sum(bool(sessions - {session}) for session, sessions in found), sum(bool(sessions) for _, sessions in found)
    print(f"hook: {len(failures)} failed calls, {told[0]} told by other sessions, {told[1]} if they came back")


def _place(row: dict[str, Any]) -> _Place:
    return row["session"], row["at"], row["seq"]


def _answer(case: KnownError) -> tuple[str, list[int] | None]:
    return case.end, [case.mended.turn, case.mended.seq] if case.mended is not None else None


def _of(case: KnownError) -> _Place:
    return case.session.session_id[:8], case.turn, case.seq


if __name__ == "__main__":
    main()
