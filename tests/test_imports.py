"""The wall between the core and the screen, and what a cold start may load."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest


def loaded(code: str) -> set[str]:
    """The top-level packages that a fresh interpreter has loaded after some code."""
    tail = "\nimport sys\nprint(*{name.split('.')[0] for name, module in sys.modules.items() if module})"
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code) + tail], capture_output=True, text=True, check=True
    )
    return set(run.stdout.splitlines()[-1].split())


def test_s5_07_the_core_never_loads_textual_or_rich() -> None:
    code = """
        import importlib, pkgutil, memtui_core
        for module in pkgutil.walk_packages(memtui_core.__path__, "memtui_core."):
            importlib.import_module(module.name)
    """
    packages = loaded(code)
    assert "duckdb" in packages
    assert packages & {"textual", "rich", "memtui"} == set()


@pytest.mark.parametrize(
    ("arguments", "banned"),
    [
        (["--help"], {"textual", "rich", "duckdb", "tantivy"}),
        (["search", "--help"], {"textual", "rich", "duckdb", "tantivy"}),
        (["search", "x", "--data-dir", "/nonexistent"], {"textual", "rich", "pandas", "numpy"}),
    ],
)
def test_the_command_line_loads_no_more_than_it_needs(arguments: list[str], banned: set[str]) -> None:
    code = f"""
        import sys
        from memtui.__main__ import main
        sys.argv = ["memtui", *{arguments!r}]
        try:
            main()
        except SystemExit:
            pass
    """
    assert loaded(code) & banned == set()
