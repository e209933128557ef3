"""The document of the settings names every variable of the environment that the code reads, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
_PREFIXED = re.compile(r"(?:MEMTUI|XDG)_[A-Z_]+")
BY_FOLDER = {"OPENCODE_DB", "KILO_DB"}
"""Made of the name of a folder."""


def read_variables(modules: list[ast.Module]) -> Iterator[str]:
    """The names in `environ.get(…)`, `environ[…]` and `… in environ`, and constants that are called variables."""
    constants: dict[str, list[ast.expr]] = {}
    for statement in (statement for module in modules for statement in module.body):
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                constants.setdefault(ast.unparse(target), []).append(statement.value)
    for name, values in constants.items():
        if name.endswith(("VARIABLE", "VARIABLES")):
            yield from (found for value in values for found in _names(value))
    for module in modules:
        for node in ast.walk(module):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _PREFIXED.fullmatch(node.value):
                yield node.value
            asked: ast.expr | None = None
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_environment(node.func.value):
                asked = node.args[0] if node.func.attr == "get" else None
            elif isinstance(node, ast.Subscript) and _is_environment(node.value):
                asked = node.slice
            elif isinstance(node, ast.Compare) and _is_environment(node.comparators[0]):
                asked = node.left
            if asked is not None:
                values = constants.get(asked.id, []) if isinstance(asked, ast.Name) else [asked]
                yield from (found for value in values for found in _names(value))


def _is_environment(value: ast.expr) -> bool:
    return ast.unparse(value) in {"os.environ", "environ", "environment"}


def _names(value: ast.expr) -> Iterator[str]:
    """The names in a constant, or in a choice of them; a part of a text that is put together is none."""
    for node in () if isinstance(value, ast.JoinedStr) else ast.walk(value):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value):
            yield node.value


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ('os.environ.get("A_B", "")', ["A_B"]),
        ('environ["A"]; environment.get("LANG"); other.get("NO")', ["A", "LANG"]),
        ('x = "NO_COLOR" not in os.environ', ["NO_COLOR"]),
        ('NAME = "PI_DIR"\nenviron.get(NAME)', ["PI_DIR"]),
        ('OWN_VARIABLES: Final = ("A_ID", "B_ID")', ["A_ID", "B_ID"]),
        ('environ.get("A" if x == "win32" else "B")', ["A", "B"]),
        ('environ.get(f"{name}_DB"); call("MEMTUI_X", "XDG_Y")', ["MEMTUI_X", "XDG_Y"]),
    ],
)
def test_what_is_read_is_found(source: str, names: list[str]) -> None:
    assert sorted(read_variables([ast.parse(source)])) == names


def test_every_variable_that_is_read_is_documented_and_no_other() -> None:
    modules = [
        ast.parse(path.read_text("utf-8"))
        for folder in ("core", "tui", "team")
        for path in (ROOT / folder).rglob("*.py")
    ]
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    section = page.partition("## Environment variables\n")[2].partition("\n## ")[0]
    first = [row.split(" | ") for row in re.findall(r"^\| (.+) \|$", section, re.MULTILINE)]
    # In the second table the variables are in the second column.
    named = {name for row in first for cell in row[: 1 if row[0].startswith("`") else 2] for name in _in_code(cell)}
    assert named == set(read_variables(modules)) | BY_FOLDER


def _in_code(cell: str) -> list[str]:
    return [name for name in re.findall(r"`([^`]+)`", cell) if NAME.fullmatch(name)]
