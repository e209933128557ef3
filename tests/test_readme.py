"""The README says what is true: its keys, its picture and its links exist."""

from __future__ import annotations

import re
from pathlib import Path

from tools.make_keys import with_table

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_table_of_keys_is_as_the_keys_are() -> None:
    assert with_table(README) == README, "make keys"


def test_every_file_that_the_readme_shows_is_there() -> None:
    linked = re.findall(r"\]\(([^)#:]+)\)", README)
    assert "docs/demo.svg" in linked
    assert [path for path in linked if not (ROOT / path).exists()] == []
