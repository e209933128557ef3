"""What a person decided on rows of reviews lasts, and a bad line costs that line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.errors import MemtuiError
from memtui_core.index.handoffs import CHOSEN_ROWS
from memtui_core.index.index import Index
from memtui_core.store.marks.review_marks import ReviewMarks, row_key
from support.indexes import build
from support.transcripts import OTHER_SESSION, SESSION, Script

RULE, OTHER = "Never round the prices of the shop", "Never log the address of a customer"


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """A session with two rules and two compactions whose summaries lack them."""
    script = Script()
    for text in (RULE, OTHER):
        script.user(text)
        script.says("Done.")
        script.compacts("The shop is open.")
    return build(tmp_path / "data", script.write(tmp_path / "src"))


def listed(index: Index) -> list[list[str]]:
    """What each review lists, and what the list of compactions has, the newest first."""
    reviews = [[item.text for item in review.main] for review in index.compactions.reviews()]
    assert [[item.text for item in row.lost] for row in index.compactions.all()] == reviews
    return reviews


@pytest.mark.spec("S5.6")
def test_a_known_row_is_in_no_review_any_more_until_it_is_taken_back(index: Index, tmp_path: Path) -> None:
    assert listed(index) == [[OTHER, RULE], [RULE]]
    review = next(iter(index.compactions.reviews()))
    index.compactions.set_known(review.main[1], known=True)
    assert listed(index) == listed(Index.open(tmp_path / "data")) == [[OTHER], []]
    assert [[item.text for item in review.known] for review in index.compactions.reviews()] == [[RULE], [RULE]]
    assert index.compactions.brief(next(iter(index.compactions.reviews()))) == f"- the user said: {OTHER} [{SESSION}:3]"
    index.compactions.set_known(review.main[1], known=False)
    assert listed(index) == [[OTHER, RULE], [RULE]]


@pytest.mark.spec("S5.6")
def test_a_known_row_does_not_come_up_again_afterwards_either(tmp_path: Path) -> None:
    script = Script()
    script.user(RULE)
    script.calls("Read", {"file_path": "/home/ana/code/shop/tax.py"}, "t1")
    script.result("1 x", "t1")
    script.compacts("The shop is open.")
    script.user(f"No. {RULE}!")
    script.calls("Read", {"file_path": "/home/ana/code/shop/tax.py"}, "t2")
    script.result("1 x", "t2")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    review = next(index.compactions.reviews())
    assert [(recurrence.how, recurrence.item.text) for recurrence in review.recurrences] == [("corrected", RULE)]
    assert [item.text for item in review.changed_after] == ["tax.py"]
    for item in (review.main[0], review.changed_after[0]):
        index.compactions.set_known(item, known=True)
    review = next(index.compactions.reviews())
    assert (review.lost, review.recurrences, review.changed_after) == ((), (), ())
    assert [item.text for item in review.known] == [RULE, "tax.py"]


@pytest.mark.spec("S5.6")
def test_rows_that_were_sent_are_in_the_hand_off_of_their_session(index: Index) -> None:
    review = next(iter(index.compactions.reviews()))
    assert CHOSEN_ROWS not in index.handoffs.of_session(1).text()
    index.compactions.send(review, review.main)
    chosen = f"## {CHOSEN_ROWS}\n- the user said: {OTHER} [{SESSION}:3]\n- the user said: {RULE} [{SESSION}:1]"
    assert chosen in index.handoffs.of_session(1).text()
    assert index.compactions.prompt_of(review.main) == (
        f"The summary of your last compaction lacks this:\n- the user said: {OTHER} [{SESSION}:3]"
        f"\n- the user said: {RULE} [{SESSION}:1]"
    )
    first, second = review.main
    assert index.compactions.sent(review) == {first: False, second: False}
    index.compactions.marks.delivered(SESSION, f"- the user said: {OTHER} [{SESSION}:3]")
    assert index.compactions.sent(review) == {first: True, second: False}
    index.compactions.send(review, [first])
    assert index.compactions.sent(review) == {first: False, second: False}


def test_marks_are_those_of_a_session_and_last_until_they_are_told(tmp_path: Path) -> None:
    marks = ReviewMarks(tmp_path / "data")
    assert (marks.known(), marks.waiting(SESSION)) == ({}, ())
    for session, text in ((SESSION, "one"), (OTHER_SESSION, "two"), (SESSION, "three"), (SESSION, "one")):
        marks.send(session, text)
    assert (marks.waiting(SESSION), marks.waiting(OTHER_SESSION)) == (("one", "three"), ("two",))
    marks.send(SESSION, "four")
    for text in ("one", "three"):
        marks.delivered(SESSION, text)
    assert (ReviewMarks(tmp_path / "data").waiting(SESSION), marks.waiting(OTHER_SESSION)) == (("four",), ("two",))
    marks.send(SESSION, "one")
    assert marks.waiting(SESSION) == ("four", "one")
    for key, known in (("a", True), ("b", True), ("a", False), ("c", False), ("a", True)):
        marks.set_known(key, known=known)
    known_keys = marks.known()
    assert sorted(known_keys, key=known_keys.__getitem__) == ["b", "a"]


def test_texts_can_be_removed_and_what_is_known_stays(tmp_path: Path) -> None:
    marks = ReviewMarks(tmp_path)
    marks.remove_texts()
    assert not (tmp_path / "review-marks.jsonl").exists()
    marks.send(SESSION, "one secret")
    marks.set_known("a", known=True)
    marks.delivered(SESSION, "one secret")
    marks.send(OTHER_SESSION, "another secret")
    marks.remove_texts()
    assert (marks.known(), marks.waiting(OTHER_SESSION)) == ({"a": 0}, ())
    assert b"secret" not in (tmp_path / "review-marks.jsonl").read_bytes()


def test_a_bad_line_costs_that_line(tmp_path: Path) -> None:
    marks = ReviewMarks(tmp_path)
    marks.set_known("a", known=True)
    with (tmp_path / "review-marks.jsonl").open("ab") as file:
        file.write(b'[]\n\xff{"kind": "known"\n{"kind": "known", "key": "b"')
    marks.set_known("c", known=True)
    assert set(marks.known()) == {"a", "c"}
    assert (tmp_path / "review-marks.jsonl").read_bytes().endswith(b'"b"\n{"kind": "known", "key": "c"}\n')


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "review-marks.jsonl").mkdir()
    marks = ReviewMarks(tmp_path)
    assert marks.known() == {}
    with pytest.raises(MemtuiError, match=r"review-marks\.jsonl cannot be written: Is a directory"):
        marks.send(SESSION, "one")


@given(st.text(), st.text())
def test_a_row_is_known_by_its_session_and_its_words(one: str, other: str) -> None:
    assert row_key("s", f"  {one}\n") == row_key("s", one)
    assert row_key("s", one) != row_key("t", one)
    assert (row_key("s", one) == row_key("s", other)) is (one.split() == other.split())
