"""Folders and files that nobody but the user can read."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memtui_core.ingest.indexer import Indexer
from memtui_core.system.private_files import make_private_folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes of files")


def modes(folder: Path) -> dict[str, str]:
    """The modes of a folder and of all in it, as octal digits."""
    paths = [folder, *folder.rglob("*")]
    return {path.relative_to(folder.parent).as_posix(): f"{stat.S_IMODE(path.lstat().st_mode):o}" for path in paths}


@pytest.mark.spec("S6.15")
def test_a_new_folder_is_private_whatever_the_mask_is(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        assert make_private_folder(tmp_path / "a" / "data") is False
        assert make_private_folder(tmp_path / "a" / "data") is False
    finally:
        os.umask(before)
    assert modes(tmp_path / "a" / "data") == {"data": "700"}


def test_an_open_folder_is_closed_with_all_that_is_in_it_and_it_is_told_once(tmp_path: Path) -> None:
    data, outside = tmp_path / "data", tmp_path / "outside"
    (data / "sub").mkdir(parents=True)
    for name, mode in (("a", 0o644), ("sub/b", 0o666), ("sub/c", 0o400), ("sub/run", 0o755)):
        (data / name).touch()
        (data / name).chmod(mode)
    outside.touch()
    outside.chmod(0o644)
    (data / "link").symlink_to(outside)
    (data / "sub").chmod(0o755)
    data.chmod(0o750)
    assert make_private_folder(data) is True
    assert make_private_folder(data) is False
    found = modes(data)
    del found["data/link"]
    assert found == {
        "data": "700", "data/a": "600", "data/sub": "700", "data/sub/b": "600", "data/sub/c": "400",
        "data/sub/run": "700",
    }  # fmt: skip
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(FileExistsError):
        make_private_folder(tmp_path / "data")


@pytest.mark.spec("S6.15")
def test_the_indexer_closes_the_data_folder(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o755)
    with Indexer(data) as indexer:
        assert indexer.was_open_to_others
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    with Indexer(data) as indexer:
        assert not indexer.was_open_to_others


def test_the_mask_of_the_process_and_that_of_the_users_programs() -> None:
    """In a process of its own: the mask is that of all its threads."""
    code = """
import os, subprocess, sys
from pathlib import Path
from memtui_core.system.private_files import make_private, users_files, users_mask
os.umask(0o026)
assert users_mask() == -1
make_private()
make_private()
own = subprocess.run(["sh", "-c", "umask"], capture_output=True, text=True).stdout
users = subprocess.run(["sh", "-c", "umask"], capture_output=True, text=True, umask=users_mask()).stdout
with users_files():
    inside = subprocess.run(["sh", "-c", "umask"], capture_output=True, text=True).stdout
after = subprocess.run(["sh", "-c", "umask"], capture_output=True, text=True).stdout
print(*(text.strip() for text in (own, users, inside, after)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("0077 0026 0026 0077\n", "")
