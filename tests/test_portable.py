"""What only some systems have is used nowhere in the product, but where it is guarded.

`make lint` checks the modules and functions of the standard library: mypy reads the code as Windows has it.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT = Path(__file__).parents[1]
_NO_PADDING = re.compile(r"%[-#_^0][aAbBdHIjmMpSuUwWyYZ]\b")
"""Directives of glibc's strftime."""
_TEXT_MODE = {"read_text": 0, "write_text": 1, "open": 2}
"""Methods of a path that need an encoding, and the place of theirs."""


def faults(source: str) -> Iterator[str]:
    """What is not portable in a module: its line and the reason."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _NO_PADDING.search(node.value):
            yield f"{node.lineno}: {node.value!r}"
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        if name not in _TEXT_MODE or (name == "open" and not _is_text(node)):
            continue
        place = _TEXT_MODE[name] + isinstance(node.func, ast.Name)
        if len(node.args) <= place and not any(keyword.arg == "encoding" for keyword in node.keywords):
            yield f"{node.lineno}: {name} without an encoding"


def _is_text(call: ast.Call) -> bool:
    """Whether a call opens a file of text; calls with other arguments open something else, such as an index."""
    modes = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
    return any(isinstance(mode, str) and re.fullmatch(r"[rwax]\+?t?", mode) for mode in modes)


@pytest.mark.parametrize(
    ("line", "reasons"),
    [
        ('f"{day:%-d %b}"', ["1: '%-d %b'"]),
        ('at.strftime("%#d")', ["1: '%#d'"]),
        ('"%-10s and %d %b" % x', []),
        ("path.read_text()", ["1: read_text without an encoding"]),
        ('path.read_text("utf-8"); path.read_text(encoding="utf-8")', []),
        ("path.write_text(text)", ["1: write_text without an encoding"]),
        ('path.write_text(text, "utf-8")', []),
        ('path.open("w")', ["1: open without an encoding"]),
        ('open(path, "a")', ["1: open without an encoding"]),
        ('path.open("rb"); open(path, "r", encoding="utf-8"); Index.open(folder)', []),
    ],
)
def test_what_is_not_portable_is_found(line: str, reasons: list[str]) -> None:
    assert list(faults(line)) == reasons


def test_the_product_is_portable() -> None:
    assert [
        f"{path.relative_to(ROOT).as_posix()}:{fault}"
        for folder in ("core", "tui", "team")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for fault in faults(path.read_text(encoding="utf-8"))
    ] == []


_ASKED: Final = {"sys.platform", "os.name", "platform.system"}
"""What tells the system."""
_UNIX_ONLY: Final = frozenset({"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"})
_WINDOWS_ONLY: Final = frozenset({"msvcrt", "winreg", "winsound", "_winapi"})
_OF_SYSTEMS: Final = ("core/memtui_core/system/", "tui/memtui/system/")
"""The folders whose modules may differ from system to system."""


def asked_systems(source: str) -> Iterator[str]:
    """Where a module compares the name of the system, or imports what not all of them have."""
    for node in ast.walk(ast.parse(source)):
        asking: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            asking = [node.left, *node.comparators]
        elif isinstance(node, ast.Call):
            asking = [node.func]
        found = [name for name in map(ast.unparse, asking) if name in _ASKED]
        found += [name for name in _imported(node) if name in _UNIX_ONLY | _WINDOWS_ONLY]
        yield from (f"{getattr(node, 'lineno', 0)}: {name}" for name in found)


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('x = 1 if sys.platform == "win32" else 2', ["1: sys.platform"]),
        ('if "nt" == os.name: pass', ["1: os.name"]),
        ('import platform\nif platform.system() == "Darwin": pass', ["2: platform.system"]),
        ("def f():\n    import fcntl", ["2: fcntl"]),
        ("from msvcrt import locking", ["1: msvcrt"]),
        ('about = {"system": sys.platform}', []),
    ],
)
def test_what_asks_for_the_system_is_found(source: str, found: list[str]) -> None:
    assert list(asked_systems(source)) == found


def test_only_the_modules_of_systems_ask_which_one_it_is() -> None:
    modules = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for folder in ("core", "tui", "team")
        for path in sorted((ROOT / folder).rglob("*.py"))
    }
    asking = {name: found for name, source in modules.items() if (found := list(asked_systems(source)))}
    assert "core/memtui_core/system/systems.py" in asking
    assert {name: found for name, found in asking.items() if not name.startswith(_OF_SYSTEMS)} == {}


def test_every_test_can_be_collected_on_every_system() -> None:
    """What only Unix has is imported in a function, or by `importorskip`."""
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{node.lineno}: {name}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        for name in _imported(node)
        if name in _UNIX_ONLY
    ]
    assert found == []


def test_an_encoding_that_lacks_characters_fails_no_command() -> None:
    code = "import sys; from memtui.__main__ import main; from memtui.cli.output import say, show; "
    code += "import memtui.cli as m; m.cli = lambda: (show('a · 日本'), say('é 日')); "
    code += "sys.argv = ['memtui', 'stats']; main()"
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert (run.stdout.split(), run.stderr.split()) == ([b"a", b"\xb7", b"??"], [b"\xe9", b"\\u65e5"])
