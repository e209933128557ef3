"""The files that shell commands rename."""

from __future__ import annotations

from memtui_core.tools.shell.moves import moves_in


def test_renamed_files() -> None:
    cases = {
        "mv a.py b.py": [("a.py", "b.py")],
        "git mv -k src/a.py src/b.py && git commit -m 'mv x.py y.py'": [("src/a.py", "src/b.py")],
        "cd src && mv 'a.py' ../b.py": [("src/a.py", "src/../b.py")],
        "mv a.py src/": [],
        "mv src lib": [],
        "cp a.py b.py; echo mv a.py b.py": [],
    }
    assert {command: list(moves_in(command)) for command in cases} == cases
