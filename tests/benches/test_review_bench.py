"""The bench of reviews: how it counts, and that the judged compactions can be read."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from bench.review.__main__ import run
from bench.review.claims import Verdict, verdicts
from bench.review.judged import Dropped, Judged, JudgedRow, digest, judged_compactions
from bench.review.measure import FIRST, Score, score, table, total
from bench.review.opening import copy_sessions
from memtui_core.compaction import FactKind, Review, ReviewItem
from memtui_core.compaction.links import SummaryLinks
from memtui_core.index.index import Index
from support.histories import ROOT, History
from support.indexes import update
from support.transcripts import SESSION, Script

DROPPED = (
    Dropped(("never round", "prices"), 3),
    Dropped(("tills", "old ones", "repaired"), 2),
    Dropped(("`drainTill`",), 1),
)


def judged(rows: dict[str, JudgedRow] | None = None, line: int = 4, name: str = "shop") -> Judged:
    return Judged(name, SESSION, line, "tune", DROPPED, rows or {})


def review(lost: list[tuple[FactKind, str, float]], kept: tuple[str, ...] = ()) -> Review:
    """A review with lost items by kind, text and weight, and kept requests."""
    items = [
        ReviewItem(kind, text, 3, 1, (1,), 1, weight, rank, 1) for rank, (kind, text, weight) in enumerate(lost, 1)
    ]
    said = [ReviewItem("request", text, 3, 1, (1,), 1, 1.0, rank, 1) for rank, text in enumerate(kept, 1)]
    return Review(
        1, SESSION, "Ship", 5, 40, None, "auto", 9000, "Nothing.", (), (), 1, 4, 4, tuple(items), tuple(said), (), (),
        SummaryLinks("", [], []),
    )  # fmt: skip


def test_judged_rows_count_as_judged_and_others_by_their_words() -> None:
    known = {
        digest("The tills stay."): JudgedRow("yes", 0, frozenset({1})),
        digest("Look **at** it"): JudgedRow("no", 2),
        digest("Pay"): JudgedRow("partly", 1),
        digest("`drainTill` waits"): JudgedRow("yes", 0),
        digest("Wrong"): JudgedRow("yes", 2, right=True),
        digest("Wrong too"): JudgedRow("yes", 0),
        digest("Kept"): JudgedRow("no", 1),
        digest("Kept too"): JudgedRow("yes", 0),
    }
    main: list[tuple[FactKind, str, float]] = [
        ("contradiction", "Wrong", 100), ("contradiction", "Wrong too", 100), ("rule", "The tills  stay.", 2),
        ("rule", "look at it", 2), ("rule", "Pay", 2), ("rule", "`drainTill` waits", 2), ("rule", "Never judged", 2),
    ]  # fmt: skip
    others: list[tuple[FactKind, str, float]] = [("rule", "Never round the prices", 0.5), ("edited", "a.py", 9)]
    made = review([*main, *others], ("Kept", "Kept too", "Neither"))
    assert score(judged(known), made) == Score(
        "shop", dropped=3, told=3, harmful=1, harmful_told=1, shown=7, judged=6, matter=2, useful=4, absent=5, kept=2,
        false_kept=1, contradictions=2, right=1,
    )  # fmt: skip
    assert score(judged(), review([("rule", "Never ROUND it, and the tills stay: old ones", 2)])).told == 1


def test_only_the_first_rows_count() -> None:
    rows: list[tuple[FactKind, str, float]] = [*(("rule", "x", 2.0) for _ in range(FIRST)), ("rule", "`drainTill`", 2)]
    found = [score(judged(), review(of)) for of in (rows, rows[1:])]
    assert [(one.told, one.shown) for one in found] == [(0, FIRST), (1, FIRST)]


def test_scores_are_summed_and_shown_as_shares() -> None:
    one = Score("a", 4, 1, 2, 1, 10, 10, 5, 7, 9, 8, 1, 2, 1)
    both = total("all of tune", [one, Score("b", 4, 3, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)])
    assert both == Score("all of tune", 8, 4, 2, 1, 12, 10, 5, 7, 9, 8, 1, 2, 1)
    shares = [
        "4/8",
        "0.50",
        "1/2",
        "0.50",
        "5/10",
        "0.50",
        "7/10",
        "0.70",
        "9/10",
        "0.90",
        "1/8",
        "0.12",
        "1/2",
        "0.50",
    ]
    assert [line.split() for line in table([both]).splitlines()[1:]] == [["all", "of", "tune", *shares, "2"]]
    assert table([Score("c", *[0] * 13)]).splitlines()[1].split() == ["c", *["-"] * 7]


def test_a_sentence_is_compared_with_the_checks_of_other_times() -> None:
    history = History()
    history.asks("Ship the cart")
    history.runs("pytest -q", "1 failed, 11 passed in 0.31s")
    for _ in range(10):
        history.runs("ls")
    history.says("src/cart.py was not yet edited.")
    history.edits("src/cart.py")
    history.runs("pytest -q", "12 passed in 0.31s")
    history.says("All tests pass.")
    assert list(verdicts(SESSION, history.turns)) == [
        Verdict(SESSION, 4, "pytest -q failed: 1 failed, 11 passed in 0.31s", 30, "All tests pass."),
        Verdict(SESSION, 26, f"{ROOT}/src/cart.py was edited", 25, "src/cart.py was not yet edited."),
    ]
    assert list(verdicts(SESSION, [replace(turn, blocks=turn.blocks[-3:]) for turn in history.turns])) == []


def test_judged_compactions_are_found_by_the_line_of_their_summary(tmp_path: Path) -> None:
    script = Script()
    script.user("Never round the prices of the shop")
    script.says("Understood.")
    script.compacts("The shop is open.")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    [made] = Index.open(tmp_path / "data").compactions.reviews()
    found, missing = run(tmp_path / "data", [judged(line=len(script.lines)), judged(line=90, name="other")])
    assert made.line == len(script.lines) - 2
    assert [(one.name, one.told, one.shown, one.judged) for one in found] == [
        ("shop", 1, 1, 0), ("all of tune", 1, 1, 0)
    ]  # fmt: skip
    assert missing == ["other"]


def test_every_judged_compaction_can_be_read_and_keeps_no_texts() -> None:
    compactions = judged_compactions()
    assert len({(one.session, one.line) for one in compactions}) == len(compactions) == 9
    assert {one.half for one in compactions} == {"tune", "aside", "unread"}
    assert sum(len(one.rows) for one in compactions) > 300
    for one in compactions:
        assert len(one.dropped) >= 8
        assert all(len(word) <= 60 for item in one.dropped for word in item.words)
        assert all(item < len(one.dropped) for row in one.rows.values() for item in row.items)


def test_copies_of_a_session_are_sessions_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    copy_sessions(tmp_path / "src", 2)
    update(tmp_path / "data", tmp_path / "src")
    rows = Index.open(tmp_path / "data").compactions.all()
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
