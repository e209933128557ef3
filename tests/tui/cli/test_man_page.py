"""The manual page: made of the help of all commands, and taken by groff and man without a warning."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import every_command
from support.sshd import require_programs
from tools import man_page


def test_the_page_is_that_of_the_commands() -> None:
    """`make tables` writes it."""
    assert man_page.PAGE.read_text("utf-8") == man_page.man_page()


def test_no_help_has_the_letters_of_the_sign_that_keeps_lines() -> None:
    """Lines below a backspace stay as they are; a backslash and a b would be text."""
    assert "\\eb" not in man_page.man_page()


@pytest.mark.skipif(sys.platform == "win32", reason="needs groff")
def test_groff_and_man_take_it_without_a_warning() -> None:
    require_programs(["groff", "man"])
    run = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-P-c", str(man_page.PAGE)],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert run.stderr == ""
    text = re.sub(r".\x08", "", run.stdout)
    sections = [
        "NAME",
        "SYNOPSIS",
        "DESCRIPTION",
        "COMMANDS",
        "EXIT STATUS",
        "ENVIRONMENT",
        "FILES",
        "EXAMPLES",
        "SEE ALSO",
    ]
    assert re.findall(r"^([A-Z][A-Z ]+)$", text, re.MULTILINE) == sections
    assert re.findall(r"^   memtui ([a-z]+)$", text, re.MULTILINE) == sorted(every_command())
    assert "bash  echo 'source <(memtui completion bash)' >> ~/.bashrc\n" in text
    assert "memtui team groups unshare PROJECT GROUP\n" in text
    environment = os.environ | {"MANWIDTH": "80", "LC_ALL": "C.UTF-8"}
    shown = subprocess.run(
        ["man", "-l", "--warnings", str(man_page.PAGE)],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env=environment,
    )
    assert (shown.stderr, "the memory of your coding agents" in shown.stdout) == ("", True)


def test_no_text_is_taken_for_a_request() -> None:
    assert man_page._text(".SH a\\b -x …") == "\\&.SH a\\eb \\-x \\[u2026]"


def test_an_installed_package_places_the_page_and_the_scripts() -> None:
    """Their paths in the wheel are those where man and the shells look."""
    root = Path(__file__).parents[3]
    [table] = re.findall(r"shared-data\]\n((?:.+\n)+)", (root / "pyproject.toml").read_text("utf-8"))
    placed = dict(re.findall(r'"(.+)" = "(.+)"', table))
    assert all((root / source).is_file() for source in placed)
    assert sorted(placed.values()) == [
        "share/bash-completion/completions/memtui",
        "share/fish/vendor_completions.d/memtui.fish",
        "share/man/man1/memtui.1",
        "share/zsh/site-functions/_memtui",
    ]
