"""Turns are found by the commits that they made."""

from __future__ import annotations

import pytest

from memtui_core.index.index import Index
from support.indexes import build
from support.transcripts import Script


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Three turns: two commits, the second without an id, and a turn that only speaks of one."""
    folder, script = tmp_path_factory.mktemp("commits"), Script()
    script.user("Round the prices")
    script.calls("Bash", {"command": "git commit -am 'Round the prices'"}, "t1")
    script.result("[main 3f2a9c1] Round the prices", "t1")
    script.user("And the taxes")
    script.calls("Bash", {"command": "git commit -qam 'Add taxes'"}, "t2")
    script.result("", "t2")
    script.user("Is 3f2a9c1 pushed?")
    script.says("Yes, 3f2a9c1 Round the prices is on main.")
    return build(folder / "data", script.write(folder / "src"))


@pytest.mark.parametrize(
    ("query", "turns"),
    [
        ("commit:3f2a9c1", [1]),
        ("commit:3F2A9C1", [1]),
        ("commit:3f2a", [1]),
        ("commit:3f2a9c1d04b7e0f9aa0c31d2a4b5c6d7e8f90123", [1]),
        ("commit:3f2a9c2", []),
        ("commit:f2a9c1", []),
        ("commit:3f2", []),
        ("commit:taxes", [2]),
        ('commit:"round the"', [1]),
        ("-commit:taxes", [1, 3]),
        ("has:commit", [1, 2]),
        ("has:commit prices", [1]),
        ("-has:commit", [3]),
    ],
)
def test_a_commit_finds_the_turn_that_made_it(index: Index, query: str, turns: list[int]) -> None:
    assert sorted(hit.turn for hit in index.search(query).hits) == turns


def test_ids_of_commits_are_offered(index: Index) -> None:
    assert index.search.filter_values()["commit"] == ("3f2a9c1",)


def test_sql_sees_the_commits(index: Index) -> None:
    assert index.sql("SELECT turn, id, subject, amends FROM commits ORDER BY turn").rows == [
        (1, "3f2a9c1", "Round the prices", False),
        (2, "", "Add taxes", False),
    ]
