from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.index import Index
from memtui_core.search.completion import FIXED, complete

VALUES = {**FIXED, "project": ("shop-api", "shop", "my blog"), "tool": ("Bash", "Edit"), "file": ("ci.yml",)}


@pytest.mark.parametrize(
    ("text", "completed"),
    [
        ("pro", "project:"),
        ("pr", "pr:"),
        ("retry af", "retry after:"),
        ("-to", "-tool:"),
        ("p", None),
        ("retry", None),
        ("x-pro", None),
        ("Pro", None),
        ("", None),
        ("pro ", None),
        ("tool:", "tool:Bash"),
        ("tool:ba", "tool:Bash"),
        ("tool:Bash", None),
        ("-tool:ed", "-tool:Edit"),
        ("retry project:sh", "retry project:shop-api"),
        ("project:shop", "project:shop-api"),
        ("project:my", None),
        ('project:"m', 'project:"my blog"'),
        ('project:"my blog"', None),
        ("is:c", "is:compaction"),
        ("in:t", "in:thinking"),
        ("after:y", "after:yesterday"),
        ("file:ci", "file:ci.yml"),
        ("session:a", None),
    ],
)
def test_the_last_word_is_completed(text: str, completed: str | None) -> None:
    assert complete(text, VALUES) == completed


@given(st.text(alphabet='prois:- "tf', max_size=20))
def test_what_was_typed_stays(text: str) -> None:
    completed = complete(text, VALUES)
    assert completed is None or (completed.lower().startswith(text.lower()) and completed != text)


def test_values_come_from_the_index(sample_index: Path) -> None:
    values = Index.open(sample_index).filter_values()
    assert {"shop-api", "infra"} <= set(values["project"])
    assert values["agent"] == ("claude-code",)
    assert values["tool"][:2] == ("Bash", "Edit")
    assert "ci.yml" in values["file"]
    assert all(number.isdigit() for number in values["pr"])
