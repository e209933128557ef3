"""The bench of reviews: how it counts, and that the judged compactions can be read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.review.__main__ import run
from bench.review.judged import Dropped, Judged, JudgedRow, digest, judged_compactions
from bench.review.measure import FIRST, Score, score, table, total
from bench.review.opening import copy_sessions
from memtui_core.index import Index
from support.indexes import update
from support.transcripts import SESSION, Script

DROPPED = (
    Dropped(("never round", "prices"), 3),
    Dropped(("tills", "old ones", "repaired"), 2),
    Dropped(("`drainTill`",), 1),
)


def judged(rows: dict[str, JudgedRow] | None = None, line: int = 4, name: str = "shop") -> Judged:
    return Judged(name, SESSION, line, "tune", DROPPED, rows or {})


def test_judged_rows_count_as_judged_and_others_by_their_words() -> None:
    known = {
        digest("The tills stay."): JudgedRow(frozenset({1}), useful=True, absent=True),
        digest("Look **at** it"): JudgedRow(frozenset(), useful=False, absent=False),
    }
    rows = ["The tills  stay.", "look at it", "Never round the prices", "Anything"]
    assert score(judged(known), rows) == Score("shop", 3, 2, 1, 1, 2, 1, 1, 2)
    assert score(judged(), ["Never ROUND it, and the tills stay: old ones"]).told == 1


def test_only_the_first_rows_count() -> None:
    rows = [*("x" for _ in range(FIRST)), "`drainTill`"]
    assert (score(judged(), rows).told, score(judged(), rows[1:]).told) == (0, 1)


def test_scores_are_summed_and_shown_as_shares() -> None:
    one = Score("a", 4, 1, 2, 1, 10, 7, 9, 0)
    both = total("all of tune", [one, Score("b", 4, 3, 0, 0, 0, 0, 0, 2)])
    assert both == Score("all of tune", 8, 4, 2, 1, 10, 7, 9, 2)
    assert [line.split() for line in table([both]).splitlines()[1:]] == [
        ["all", "of", "tune", "4/8", "0.50", "1/2", "0.50", "7/10", "0.70", "9/10", "0.90", "2"]
    ]
    assert table([Score("c", 0, 0, 0, 0, 0, 0, 0, 0)]).splitlines()[1].split() == ["c", "-", "-", "-", "-"]


def test_judged_compactions_are_found_by_the_line_of_their_summary(tmp_path: Path) -> None:
    script = Script()
    script.user("Never round the prices of the shop")
    script.says("Understood.")
    script.compacts("The shop is open.")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    [review] = Index.open(tmp_path / "data").reviews()
    found, missing = run(tmp_path / "data", [judged(line=len(script.lines)), judged(line=90, name="other")])
    assert review.line == len(script.lines) - 2
    assert [(one.name, one.told, one.unjudged) for one in found] == [("shop", 1, 1), ("all of tune", 1, 1)]
    assert missing == ["other"]


def test_every_judged_compaction_can_be_read_and_keeps_no_texts() -> None:
    compactions = judged_compactions()
    assert len({(one.session, one.line) for one in compactions}) == len(compactions) == 9
    assert {one.half for one in compactions} == {"tune", "report", "unread"}
    for one in compactions:
        assert len(one.dropped) >= 8
        assert all(len(word) <= 60 for item in one.dropped for word in item.words)
        assert all(item < len(one.dropped) for row in one.rows.values() for item in row.items)


def test_copies_of_a_session_are_sessions_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    copy_sessions(tmp_path / "src", 2)
    update(tmp_path / "data", tmp_path / "src")
    rows = Index.open(tmp_path / "data").all_compactions()
    assert len({row.session for row in rows}) == 2
    assert len(rows) >= 2


def test_the_command_asks_for_transcripts() -> None:
    command = [sys.executable, "-m", "bench.review"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert (done.returncode, done.stdout) == (2, "")
    assert "give the transcripts with --source" in done.stderr


def test_a_digest_does_not_depend_on_markup_and_blanks() -> None:
    assert digest("**Never**  round\nit") == digest("never round it") != digest("never round")
    assert digest("x") == "2d711642b726"
