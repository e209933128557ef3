"""The fault points of the program."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]


def fault_names() -> Counter[str]:
    """The name of each call of `fault_point` in the packages. Raises ValueError for one that is not written out."""
    names: Counter[str] = Counter()
    for path in sorted(path for top in ("core", "tui", "team") for path in (ROOT / top).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "fault_point"):
                continue
            [name] = node.args
            if not (isinstance(name, ast.Constant) and isinstance(name.value, str)):
                raise ValueError(f"{path}:{node.lineno}: the name of a step is a text")
            names[name.value] += 1
    return names
