"""The words of the glossary: names and phrases that were replaced do not come back."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import memtui
import memtui_core
import memtui_team
from memtui.cli.commands import COMMANDS

_DOCS = Path(__file__).parents[1] / "docs"
SOURCES = [Path(module.__file__ or "").parent for module in (memtui, memtui_core, memtui_team)]
DOCUMENTS = [
    Path(__file__).parents[1] / name
    for name in (
        "README.md",
        "CONTRIBUTING.md",
        *(f"docs/{page.name}" for page in _DOCS.glob("*.md") if page.name != "spec.md"),
    )
]

REPLACED_NAMES = frozenset(
    {
        *("Asker", "Early", "Here", "Jumps", "Lane", "Library", "Notebook", "Opening", "PastSession", "Remembered"),
        *("TimelineWish", "ToolBlock", "Walker", "_GivenUp", "alike", "resembling", "told", "still", "soon"),
        *("wanted", "wish", "library", "notebook", "remembered", "in_sight", "set_in_sight"),
    }
)
"""Identifiers that stood for what the glossary names otherwise."""

REPLACED_PHRASES = (
    *("is told", "are told", "was told", "to be told", "is given up", "are given up", "who asks", "the person"),
    *("is wanted", "are wanted", "what is wanted", "a wish", "the wish", "stands in sight", "Last pane", "Last list"),
    *("is no time", "that there is not"),
)
"""Phrases that users read in place of plain words: "is reported", "is cancelled", "the user", "is requested"."""


GLOSSARY = Path(__file__).parents[1] / "docs" / "glossary.md"


@cache
def modules() -> list[tuple[str, set[str], list[str]]]:
    """The identifiers and the texts of each module."""
    found = []
    for folder in SOURCES:
        for path in sorted(folder.rglob("*.py")):
            nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
            found.append((str(path.relative_to(folder.parent)), set(identifiers(nodes)), list(texts(nodes))))
    return found


def identifiers(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def texts(nodes: list[ast.AST]) -> Iterator[str]:
    """Every string of a module, docstrings and messages alike, on one line each."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield " ".join(node.value.split())


def test_a_term_of_the_glossary_has_one_meaning() -> None:
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", GLOSSARY.read_text("utf-8"), re.MULTILINE)
    terms = Counter(term for row in rows if row != "term" for term in row.split(", "))
    assert "passage" in terms
    assert [term for term, count in terms.items() if count > 1] == []


def test_replaced_names_do_not_come_back() -> None:
    # The function of a command has its name.
    commands = {f"{entry.module.replace('.', '/')}.py": entry.name for entry in COMMANDS}
    found = [(path, name) for path, names, _ in modules() for name in names & REPLACED_NAMES]
    assert sorted((path, name) for path, name in found if commands.get(path) != name) == []


def test_replaced_phrases_do_not_come_back_in_what_users_and_developers_read() -> None:
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, REPLACED_PHRASES))})\b")
    found = [(path, match[0]) for path, _, said in modules() for text in said for match in pattern.finditer(text)]
    found += [(path.name, match[0]) for path in DOCUMENTS for match in pattern.finditer(path.read_text("utf-8"))]
    assert found == []
