from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.text.similarity import similar_paths

PATHS = [
    "tui/memtui/app.py",
    "tui/memtui/cli/__init__.py",
    "core/memtui_core/path_search.py",
    "src/upload.py",
    "src/components/UserTable.tsx",
    ".github/workflows/ci.yml",
    "src/a.py",
]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("tuiapp", ["tui/memtui/app.py"]),
        ("tmapp", ["tui/memtui/app.py"]),
        ("corepath", ["core/memtui_core/path_search.py"]),
        ("pathse", ["core/memtui_core/path_search.py"]),
        ("utable", ["src/components/UserTable.tsx"]),
        ("uplo", ["src/upload.py"]),
        ("uplaod.py", ["src/upload.py"]),
        ("uplaod", ["src/upload.py"]),
        ("scr/upload.py", []),
        ("source/upload.py", []),
        ("component/usertabel.tsx", ["src/components/UserTable.tsx"]),
        ("path_serach.py", ["core/memtui_core/path_search.py"]),
        ("b.py", []),
        ("gwci", [".github/workflows/ci.yml"]),
        ("zzzz", []),
        ("ap", []),
        ("  ", []),
        # No letter can be spelled.
        ("---", []),
        ("...", []),
    ],
)
def test_what_a_text_may_stand_for(text: str, paths: list[str]) -> None:
    assert [PATHS[place] for place in similar_paths(text, PATHS)] == paths


@given(st.text(max_size=12), st.lists(st.text(max_size=20), max_size=5))
def test_any_text_may_be_asked_for(text: str, paths: list[str]) -> None:
    places = similar_paths(text, paths)
    assert len(set(places)) == len(places)
    assert all(0 <= place < len(paths) for place in places)


def test_a_letter_whose_lower_form_is_longer_moves_no_other() -> None:
    assert similar_paths("tapp", ["İİİİ/text/app.py"]) == [0]
    assert similar_paths("İapp", ["src/İ/app.py"]) == [0]
