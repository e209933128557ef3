from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.index.index import Index
from memtui_core.search.completion import complete
from support.indexes import build
from support.transcripts import DAY, OTHER_SESSION, Script

VALUES = {
    "in": ("user", "assistant", "thinking", "tool", "note", "title"),
    "is": (
        "compaction",
        "subagent",
        "main",
        "fork",
        "command",
        "live",
        "running",
        "waiting",
        "failed",
        "pinned",
        "decision",
        "archived",
    ),
    "after": ("today", "yesterday", "3d", "7d", "1m"),
    "project": ("shop-api", "shop", "my blog"),
    "tool": ("Bash", "Edit"),
    "file": ("ci.yml",),
    "model": ("claude-opus-5",),
}


@pytest.mark.parametrize(
    ("text", "completed"),
    [
        ("pro", "project:"),
        ("pr", "pr:"),
        ("retry af", "retry after:"),
        ("-to", "-tool:"),
        ("-mo", "-model:"),
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
        ("-model:Cl", "-model:claude-opus-5"),
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
    values = Index.open(sample_index).search.filter_values()
    assert {"shop-api", "infra"} <= set(values["project"])
    assert values["agent"] == ("claude-code",)
    assert values["tool"][:2] == ("Bash", "Edit")
    fixed = ("in", "role", "is", "has", "after", "before", "session", "tag", "note")
    assert {name: values[name] for name in fixed} == {
        "in": VALUES["in"],
        "role": ("turn", "compaction_summary", "human", "command", "agent"),
        "is": VALUES["is"],
        "has": ("error", "edit", "tool", "thinking", "image", "pr", "commit", "note", "tag"),
        "after": VALUES["after"],
        "before": VALUES["after"],
        "session": (),
        "tag": (),
        "note": (),
    }
    assert "ci.yml" in values["file"]
    assert all(number.isdigit() for number in values["pr"])


def test_models_are_offered_by_their_last_use(tmp_path: Path) -> None:
    first, second = Script(), Script(OTHER_SESSION, prefix="f")
    first.user("begin")
    for first.model in ("a-old", "b-often", "<synthetic>", "b-often"):
        first.says("Done.")
    second.count = DAY
    second.model = "c-new"
    second.user("go on")
    second.says("Done.")
    second.user("and on")
    second.model = "a-old"
    second.says("Done.")
    index = build(tmp_path / "data", first.write(tmp_path / "src"), second.write(tmp_path / "src"))
    assert index.search.filter_values()["model"] == ("a-old", "c-new", "b-often")
