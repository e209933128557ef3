"""The filter `machine:`."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.search.completion import complete
from support.indexes import update
from support.transcripts import OTHER_SESSION, SESSION
from support.two_machines import edits, projects_of, repository


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A session of this machine, one of `laptop` that joined its project by name, and one of `LAB`."""
    folder = tmp_path_factory.mktemp("machines")
    data, cwd = folder / "data", str(repository(folder / "shop"))
    edits(SESSION, cwd).write(folder / "here")
    edits(OTHER_SESSION, "/home/me/shop", prefix="f").write(projects_of(data) / "p")
    edits("33333333-3333-4333-8333-333333333333", "/srv/blog", prefix="g").write(projects_of(data, "LAB") / "p")
    update(data, folder / "here", projects_of(data), projects_of(data, "LAB"))
    return Index.open(data)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("machine:here", ["1"]),
        ("machine:he cart", ["1"]),
        ("machine:laptop", ["2"]),
        ("machine:LA", ["2", "3"]),
        ("machine:=lab", ["3"]),
        ("machine:=la", []),
        ("-machine:here", ["2", "3"]),
        ("-machine:laptop cart", ["1", "3"]),
        ("machine:here machine:lab", ["1", "3"]),
        ("machine:laptop project:shop", ["2"]),
        ('project:"@lab:/srv/blog"', ["3"]),
        ("project:/srv/blog", []),
        ("machine:desk", []),
    ],
)
def test_the_sessions_of_a_machine(index: Index, query: str, expected: list[str]) -> None:
    assert sorted(hit.session_id[:1] for hit in index.search(query).hits) == expected


def test_the_names_of_machines_are_completed(index: Index) -> None:
    values = index.search.filter_values()
    assert sorted(values["machine"]) == ["here", "lab", "laptop"]
    assert [complete(text, values) for text in ("ma", "machine:lap", "cart -machine:h")] == [
        "machine:",
        "machine:laptop",
        "cart -machine:here",
    ]


def test_without_other_machines_all_sessions_are_here(tmp_path: Path) -> None:
    edits(SESSION, "/home/me/shop").write(tmp_path / "here")
    update(tmp_path / "data", tmp_path / "here")
    index = Index.open(tmp_path / "data")
    assert index.search.filter_values()["machine"] == ("here",)
    assert [len(index.search(query).hits) for query in ("machine:here", "-machine:here", "machine:laptop")] == [1, 0, 0]
