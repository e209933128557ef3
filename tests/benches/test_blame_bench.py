"""The bench of blame: which files it replays, what it does to them, and how it counts."""

from __future__ import annotations

from pathlib import Path
from random import Random

from bench.blame.__main__ import table
from bench.blame.changes import CHANGES
from bench.blame.histories import CommitRow, commit_rows
from bench.blame.measure import Row, rows, verdicts
from bench.blame.replay import ReplayedFile, TrueLine, replayed_files
from support.repositories import Repository

LOADER = "def load(path):\n    with open(path) as file:\n        return file.read()\n"


def replayed(folder: Path) -> list[ReplayedFile]:
    """The files of a session that wrote one, changed it by a patch, and changed another one that nobody has read."""
    patch = [
        {
            "oldStart": 2,
            "oldLines": 1,
            "newStart": 2,
            "newLines": 2,
            "lines": ["     with open(path) as file:", "+        # all"],
        }
    ]
    repository = Repository(folder)
    calls = repository.session().writes("a.py", LOADER)
    calls.turn().edits("a.py", "file:", "file:\n        # all", toolUseResult={"structuredPatch": patch})
    calls.turn().edits("b.py", "old", "new")
    repository.index(calls).close()
    return list(replayed_files(folder / "data"))


def test_edits_are_replayed_at_the_lines_of_their_patches(tmp_path: Path) -> None:
    [file] = replayed(tmp_path)
    [session] = file.agents
    assert [(line.text, line.owner) for line in file.lines] == [
        ("def load(path):", (session, 1)),
        ("    with open(path) as file:", (session, 1)),
        ("        # all", (session, 2)),
        ("        return file.read()", (session, 1)),
    ]


def test_claims_are_counted_by_change_and_agent(tmp_path: Path) -> None:
    counted = [row for row in rows(verdicts(replayed(tmp_path))) if row.change == "untouched"]
    assert counted == [Row("untouched", agent, 4, 4, 4, 4, 4, 4) for agent in ("all", "claude-code")]
    assert table(counted).splitlines()[1].split() == ["untouched", "all", "4", "1.000", "1.000", "4", "1.0000"]


def test_precision_is_of_claims_and_recall_of_lines() -> None:
    assert Row("moved", "all", 4, 2, 2, 2, 4, 1).precision == 0.25
    assert Row("moved", "all", 4, 2, 3, 2, 4, 1).recall == 0.5


def test_a_squashed_and_a_cherry_picked_commit_are_asked_for_their_turns(tmp_path: Path) -> None:
    replayed(tmp_path)
    assert list(commit_rows(tmp_path / "data")) == [
        CommitRow("shop", "squashed", 1, 4, 4, 4),
        CommitRow("shop", "cherry-picked", 1, 4, 4, 4),
    ]


def test_changes_keep_who_wrote_a_line_and_leave_their_own_to_nobody() -> None:
    lines = [TrueLine(f"line {number} " + "of a long text " * 4, (1, number)) for number in range(200)]
    for change in CHANGES.values():
        changed = change(list(lines), Random(1))
        kept = [line for line in changed if line.owner is not None and not line.is_moved]
        assert {(line.text, line.owner) for line in kept} <= {(line.text, line.owner) for line in lines}
    assert {line.owner for line in CHANGES["typed by hand"](lines, Random(1)) if line not in lines} == {None}
