"""The README is short, and right wherever it is read: on GitHub, and on PyPI, where no link is relative."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from memtui_core.readers.registry import all_readers
from support.doc_pages import RAW_FILES, REPOSITORY_FILES, SITE, prose
from test_docs import IMPORTED

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_has_at_most_150_lines() -> None:
    assert len(README.splitlines()) <= 150


def test_its_links_do_not_depend_on_where_it_is_read() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", prose(README))
    assert f"{RAW_FILES}/docs/demo-cast.svg" in targets
    assert [each for each in targets if not each.startswith((f"{SITE}/", REPOSITORY_FILES, RAW_FILES))] == []


def test_its_addresses_are_those_of_the_project() -> None:
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    assert urls["Documentation"].rstrip("/") == SITE
    assert f"{urls['Repository']}/blob/main" == REPOSITORY_FILES


def test_it_names_every_agent_and_their_number() -> None:
    (section,) = re.findall(r"## Agents\n(.*?)\n## ", README, re.DOTALL)
    sentence = " ".join(section.split()).partition(", [where")[0]
    named = re.split(r", | and ", sentence)
    names = [reader.name for reader in all_readers() if reader.name not in IMPORTED]
    assert sorted(named) == sorted(names)
    assert f"Claude Code, Codex and {len(names) - 2} other agents" in README
