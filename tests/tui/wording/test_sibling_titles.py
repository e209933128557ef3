"""Titles below each other in little room: what each shows, and that no two look alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.wording.sibling_titles import SiblingTitles

REVIEW = "Review the current uncommitted"
PLAIN = ("fix", "the", "cart", "in", "of", "shop", "review", "current", "uncommitted", "diff", "…", "·", "done.", "Now")
LONG = ("最新の状態に", "averylongwordwithoutanyblank", "https://shop.example/a/b/c/d/e", "src/one/two/three/four.py")
WORDS = st.sampled_from(PLAIN + LONG)
TITLES = st.lists(st.lists(WORDS, min_size=1, max_size=14).map(" ".join), min_size=1, max_size=12)


def labels(titles: list[str], width: int) -> list[str]:
    siblings = SiblingTitles(titles, lambda index: f"{index} Feb 12:{index:02}")
    return [siblings.label(index, width) for index in range(len(titles))]


@pytest.mark.parametrize(
    ("titles", "width", "expected"),
    [
        pytest.param(
            [f"{REVIEW} navbar for its security", f"{REVIEW} footer for its speed", "Fix it"],
            60,
            [f"{REVIEW} navbar for its security", f"{REVIEW} footer for its speed", "Fix it"],
            id="what fits is whole",
        ),
        pytest.param(
            [f"{REVIEW} navbar for its security", "Fix it", f"{REVIEW} footer for its speed"],
            36,
            ["Review … navbar for its security", "Fix it", "Review … footer for its speed"],
            id="a beginning that is shared",
        ),
        pytest.param(
            ["Verify both fixes in the current uncommitted diff again", f"{REVIEW} patch of the parser today"],
            34,
            ["Verify both fixes in … diff again", "Review … patch of the parser today"],
            id="a middle that is shared",
        ),
        pytest.param(
            [f"… {REVIEW} navbar", f"… {REVIEW} footer"], 20, ["… navbar", "… footer"], id="one mark for all before it"
        ),
        pytest.param(
            ["Work on the parser. Show the issue first. Then fix it", "Ask Dr. No about the dates of the shop"],
            30,
            ["Work on the parser", "Ask Dr. No about the dates…"],
            id="a sentence that says enough, not its full stop",
        ),
        pytest.param(
            ["… fix: Close the contract · src/plan.py | 207 ++++"], 30, ["… fix: Close the contract"], id="a section"
        ),
        pytest.param(
            ["make a PR to add a LICENSE file to the project"],
            40,
            ["make a PR to add a LICENSE file…"],
            id="words are whole, and none begins what is cut",
        ),
        pytest.param(
            [f"explain https://shop.example/harbor/issues/{number} to me" for number in (578, 579)],
            36,
            ["explain shop.example/…/issues/578…", "explain shop.example/…/issues/579…"],
            id="an address keeps its end",
        ),
        pytest.param(
            ["最新の状態にアップデートしてください"], 20, ["最新の状態にアップ…"], id="without blanks anywhere"
        ),
        pytest.param(
            [f"You said that the upload fails in src/{name}.py with a timeout" for name in "ab"],
            30,
            ["You … src/a.py with a timeout", "You … src/b.py with a timeout"],
            id="what differs after a beginning that fills the width",
        ),
        pytest.param(
            ["Fix the cart", "Fix the cart. Then look at the shop"],
            20,
            ["Fix the cart", "Fix the cart. Then…"],
            id="one is the first sentence of the other",
        ),
        pytest.param(
            ["x" * 30 + "a" * 40, "x" * 30 + "b" * 40],
            24,
            ["xxxxxxxxxxxxxxxxxxxxxxx…", "xxxxxxxxx… · 1 Feb 12:01"],
            id="day and time where nothing else differs",
        ),
        pytest.param(["Fix the cart of the shop"] * 2, 16, ["Fix the cart…"] * 2, id="the same title twice"),
        pytest.param(["abc def", "abc dez"], 5, ["abc …", "abc …"], id="too narrow for words"),
    ],
)
def test_what_is_shown_of_titles(titles: list[str], width: int, expected: list[str]) -> None:
    assert labels(titles, width) == expected


@given(TITLES, st.integers(16, 70))
def test_titles_that_differ_never_look_alike_and_fit(titles: list[str], width: int) -> None:
    shown = labels(titles, width)
    assert [cell_len(label) <= width for label in shown] == [True] * len(titles)
    assert len(set(shown)) == len(set(titles))
    assert [label for title, label in zip(titles, shown, strict=True) if cell_len(title) <= width] == [
        title for title in titles if cell_len(title) <= width
    ]


def test_a_label_depends_on_the_titles_near_it() -> None:
    """What a title far below says, too, stays."""
    one, other = "Verify both fixes in the current uncommitted diff again", f"{REVIEW} patch of the parser today"
    between = [f"Page {number}" for number in range(12)]
    shown = [labels([one, *between[:count], other], 34) for count in (11, 12)]
    assert [(first, last) for first, *_, last in shown] == [
        ("Verify both fixes in … diff again", "Review … patch of the parser today"),
        ("Verify both fixes in the current…", "Review the current uncommitted…"),
    ]


def test_of_many_titles_only_those_that_are_asked_for_are_looked_at() -> None:
    """Of ten thousand, as many are split into words as one can leave out what others say."""
    titles = [f"{REVIEW} change {number} for its security and for its speed" for number in range(10_000)]
    siblings = SiblingTitles(titles, str)
    shown = [siblings.label(index, 30) for index in range(5_000, 5_040)]
    assert (shown[0], len(set(shown))) == ("Review … 5000 for its…", 40)
    assert len(siblings._runs) == 64
