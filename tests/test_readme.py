"""The README says what is true: its keys, its picture and its links exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.binding import Binding

from memtui.commands import COMMANDS
from memtui.widgets.hit_list import HitList
from memtui.widgets.inspector import Inspector
from memtui.widgets.search_bar import SearchBar
from memtui.widgets.session_tree import SessionTree
from memtui.widgets.transcript import Transcript

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
NAMES = {"/": "slash", "esc": "escape", "[": "left_square_bracket", "]": "right_square_bracket", "?": "question_mark"}


def keys_in_the_readme() -> list[str]:
    """The keys of the table under "Keys"."""
    table = README.split("## Keys")[1].split("\n## ")[0]
    return [key for row in re.findall(r"^\| (`.+?) \|", table, re.MULTILINE) for key in re.findall(r"`([^`]+)`", row)]


@pytest.mark.parametrize("key", keys_in_the_readme())
def test_every_key_in_the_readme_is_bound(key: str) -> None:
    widgets = (SessionTree, Transcript, Inspector, SearchBar, HitList)
    bound = [one for widget in widgets for one in widget.BINDINGS if isinstance(one, Binding)]
    keys = {key for one in [*bound, *(command.binding for command in COMMANDS)] for key in one.key.split(",")}
    assert NAMES.get(key, key) in keys


def test_every_file_that_the_readme_shows_is_there() -> None:
    linked = re.findall(r"\]\(([^)#:]+)\)", README)
    assert "docs/demo.svg" in linked
    assert [path for path in linked if not (ROOT / path).exists()] == []
