"""What git is asked for, in repositories whose settings run programs or change what is printed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui_core.errors import SourceUnreadable
from memtui_core.memory.blame.file_blame import text_of_file
from memtui_core.memory.blame.git import CommitChange, CommittedLine, Git
from memtui_core.system.systems import IS_WINDOWS
from support.repositories import Repository


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path)
    repository.git("init", "-q", "-b", "main")
    repository.write("src/prices.py", "one\n" + "kept\n" * 3 + "two\n")
    repository.commit()
    repository.write("src/prices.py", "1\n" + "kept\n" * 3 + "2\n")
    repository.commit()
    return repository


@pytest.mark.skipif(IS_WINDOWS, reason="the program is a script of a shell")
def test_no_filter_of_the_repository_runs(shop: Repository, tmp_path: Path) -> None:
    ran, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{ran}'\ncat\n")
    program.chmod(0o755)
    shop.write(".gitattributes", "*.py filter=a.b=c\n*.txt filter=other\n")
    shop.write("notes.txt", "one\n")
    shop.commit()
    for kind, name in (("a.b=c", "clean"), ("other", "process"), ("other", "clean")):
        shop.git("config", f"filter.{kind}.{name}", str(program))
        shop.git("config", f"filter.{kind}.required", "true")
    path = shop.write("src/prices.py", "1\n" + "kept\n" * 3 + "2\nthree\n")
    notes = shop.write("notes.txt", "one\ntwo\n")
    git = Git(shop.root)
    newest, second, first = shop.git("log", "--format=%H").split()
    assert git.blame(path) == {
        1: CommittedLine(second, "src/prices.py"),
        **{number: CommittedLine(first, "src/prices.py") for number in (2, 3, 4)},
        5: CommittedLine(second, "src/prices.py"),
        6: CommittedLine("", "src/prices.py"),
    }
    assert git.blame(notes) == {1: CommittedLine(newest, "notes.txt"), 2: CommittedLine("", "notes.txt")}
    assert not ran.exists()


@pytest.mark.parametrize("setting", ["noprefix=true", "interHunkContext=9", "relative=true", "mnemonicPrefix=true"])
def test_settings_of_patches_change_nothing(shop: Repository, setting: str) -> None:
    name, _, value = setting.partition("=")
    shop.git("config", f"diff.{name}", value)
    assert Git(shop.root / "src").changes("HEAD") == [
        CommitChange("src/prices.py", 1, ("one",), ("1",)),
        CommitChange("src/prices.py", 5, ("two",), ("2",)),
    ]


def test_a_hook_of_another_repository_does_not_name_it(
    shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository(tmp_path / "other")
    other.git("init", "-q", "-b", "main")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    assert Git(shop.root / "src").top() == shop.root


def test_what_is_no_blob_does_not_shift_the_contents_after_it(shop: Repository) -> None:
    assert Git(shop.root).contents("HEAD", ["src", "src/prices.py"]) == {"src/prices.py": "1\n" + "kept\n" * 3 + "2\n"}


@pytest.mark.skipif(IS_WINDOWS, reason="it has no pipes in folders")
def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceUnreadable, match="is no file with a text"):
        text_of_file(tmp_path / "pipe")
