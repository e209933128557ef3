"""Turns are found by what was decided in them, and the passage is the quote."""

from __future__ import annotations

import pytest

from memtui_core.index.index import Index
from support.indexes import build
from support.transcripts import Script

SAID = "Let's use Decimal  instead of floats"
ASKED = {"questions": [{"question": "Round up?", "options": [{"label": "Half to even"}, {"label": "Up"}]}]}

REFUSED = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Four turns: one in which the user says what to use, an answer, one that only asks, and a refused call."""
    folder, script = tmp_path_factory.mktemp("decisions"), Script()
    script.user(f"Round the prices.\n\n{SAID}\nThen the taxes.")
    script.says("Done.")
    script.user("And the rest")
    script.calls("AskUserQuestion", ASKED, "t1")
    script.result('The user answered: "Round up?"="Half to even".', "t1")
    script.user("Did we use floats instead of Decimal?")
    script.says("Let's use floats instead of Decimal.")
    script.user("Install it")
    script.calls("Bash", {"command": "npm install"}, "t2")
    script.result(f"{REFUSED}we use pnpm here", "t2", error=True)
    return build(folder / "data", script.write(folder / "src"))


@pytest.mark.parametrize(
    ("query", "turns"),
    [
        ("is:decision", [1, 2, 4]),
        ("is:dec", [1, 2, 4]),
        ("-is:decision", [3]),
        ("is:decision decimal", [1]),
        ("is:decision is:main", [1, 2, 4]),
        ("is:decision is:subagent", []),
    ],
)
def test_decisions_leave_the_turns_in_which_one_was_made(index: Index, query: str, turns: list[int]) -> None:
    assert sorted(hit.turn for hit in index.search(query).hits) == turns


def test_the_passage_is_the_quote(index: Index) -> None:
    hits = {hit.turn: hit for hit in index.search("is:decision").hits}
    said, answered, refused = (hits[turn].passages[0] for turn in (1, 2, 4))
    assert (said.text, said.source, said.is_cut) == (SAID, "user", False)
    assert (answered.text, answered.source) == ("Half to even", "tool call")
    assert (refused.text, refused.source) == ("we use pnpm here", "tool output")
    assert hits[1].snippet == "Let's use Decimal instead of floats"


def test_words_beside_the_filter_still_make_the_passage(index: Index) -> None:
    [hit] = index.search("is:decision taxes").hits
    assert "taxes" in hit.passages[0].text


def test_without_the_filter_nothing_is_quoted(index: Index) -> None:
    hits = {hit.turn: hit for hit in index.search("is:main").hits}
    assert hits[1].passages[0].text.startswith("Round the prices.")
