"""The README is short, and right wherever it is read: in the repository, and on PyPI, where no link is relative."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from memtui_core.readers.registry import all_readers
from support.doc_pages import RAW_FILES, REPOSITORY_FILES, SITE, prose
from test_docs import IMPORTED

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_it_has_at_most_150_lines() -> None:
    assert len(README.splitlines()) <= 150


def on_pypi() -> str:
    """The README as the build gives it to PyPI."""
    text = README
    for rule in PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(rule["pattern"], rule["replacement"], text)
    return text


def test_its_links_lead_to_the_files_beside_it_and_on_pypi_to_the_same_elsewhere() -> None:
    here = re.findall(r"\]\(([^)]+)\)", prose(README))
    assert "docs/demo-cast.svg" in here
    assert [target for target in here if not (ROOT / target.partition("#")[0]).is_file()] == []
    there = re.findall(r"\]\(([^)]+)\)", prose(on_pypi()))
    roots = {f"{RAW_FILES}/": "", f"{REPOSITORY_FILES}/": "", f"{SITE}/": "docs/"}
    assert [
        folder + target.removeprefix(root).replace(".html", ".md")
        for target in there
        for root, folder in roots.items()
        if target.startswith(root)
    ] == here


def test_its_addresses_are_those_of_the_project() -> None:
    urls = PROJECT["project"]["urls"]
    assert urls["Documentation"].rstrip("/") == SITE
    assert f"{urls['Repository']}/blob/main" == REPOSITORY_FILES


def test_it_names_every_agent_and_their_number() -> None:
    (section,) = re.findall(r"## Agents\n(.*?)\n## ", README, re.DOTALL)
    sentence = " ".join(section.split()).partition(", [where")[0]
    named = re.split(r", | and ", sentence)
    names = [reader.name for reader in all_readers() if reader.name not in IMPORTED]
    assert sorted(named) == sorted(names)
    assert f"Claude Code, Codex and {len(names) - 2} other agents" in README
