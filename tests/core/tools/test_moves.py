"""The files that shell commands rename."""

from __future__ import annotations

from memtui_core.tools.shell.moves import moves_in


def test_renamed_files() -> None:
    cases = {
        "mv a.py b.py": [("a.py", "b.py")],
        "git mv -k src/a.py src/b.py && git commit -m 'mv x.py y.py'": [("src/a.py", "src/b.py")],
        "cd src && mv 'a.py' ../b.py": [("src/a.py", "src/../b.py")],
        "mv a.py src/": [("a.py", "src/a.py")],
        "mv -f app/a.py app/b.py lib": [("app/a.py", "lib/a.py"), ("app/b.py", "lib/b.py")],
        "mv -t lib a.py": [("a.py", "lib/a.py")],
        "cp --target-directory=/srv a.py": [("a.py", "/srv/a.py")],
        "cd app && git mv a.py lib/": [("app/a.py", "app/lib/a.py")],
        "mv src lib": [],
        "cp a.py b.py; echo mv a.py b.py": [("a.py", "b.py")],
        "mv a.py": [],
    }
    assert {command: list(moves_in(command)) for command in cases} == cases
