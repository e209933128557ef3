"""What has changed on the disk of the files that a session knew at a turn."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from memtui_core.memory.rewind.changed_files import FileSince
from memtui_core.system.systems import IS_WINDOWS
from support.indexes import build
from support.transcripts import SESSION, Script


class Written(Script):
    """A session whose calls on files succeed."""

    def wrote(self, path: Path, content: str) -> None:
        self.calls("Write", {"file_path": str(path), "content": content}, f"w{self.count}")
        self.result("File created successfully", f"w{self.count - 1}")

    def edited(self, path: Path, old: str, new: str) -> None:
        self.calls("Edit", {"file_path": str(path), "old_string": old, "new_string": new}, f"w{self.count}")
        self.result("The file has been updated", f"w{self.count - 1}")

    def read(self, path: Path, offset: int, *lines: str) -> None:
        fields = {"file_path": str(path), "offset": offset, "limit": len(lines)}
        self.calls("Read", fields, f"w{self.count}")
        text = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, offset))
        self.result(text, f"w{self.count - 1}")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    return root


def files(tmp_path: Path, script: Script, turn: int) -> list[FileSince]:
    script.write(tmp_path / "src")
    with closing(build(tmp_path / "data", tmp_path / "src")) as index:
        return index.handoffs.files_since(index.sessions.find(SESSION).key, turn)


def test_files_are_compared_with_what_the_session_knew_at_the_turn(shop: Path, tmp_path: Path) -> None:
    script = Written(cwd=str(shop))
    script.user("Write the files")
    script.wrote(shop / "prices.py", "one\ntwo\nthree\n")
    script.wrote(shop / "same.py", "same\n")
    script.wrote(shop / "gone.py", "gone\n")
    script.wrote(shop / "photo.py", "photo\n")
    script.read(shop / "part.py", 2, "two", "three")
    script.read(shop / "shifted.py", 2, "two", "three")
    script.user("Change one")
    script.edited(shop / "prices.py", "two", "2")
    script.wrote(shop / "later.py", "later\n")
    script.user("And again")
    script.edited(shop / "prices.py", "2", "II")
    (shop / "prices.py").write_text("one\nII\nthree\nfour\n")
    (shop / "same.py").write_text("same")
    (shop / "photo.py").write_bytes(b"\xff\xfe\x00")
    (shop / "part.py").write_text("one\ntwo\nthree\nfour\n")
    (shop / "shifted.py").write_text("zero\none\ntwo\nthree\n")
    diff = "--- a/prices.py\n+++ b/prices.py\n@@ -1,3 +1,4 @@\n one\n-two\n+II\n three\n+four"
    assert files(tmp_path, script, 1) == [
        FileSince("prices.py", "changed", 2, 1, diff, later_turns=(2, 3)),
        FileSince("shifted.py", "changed", reason="2 of 2 seen lines differ"),
        FileSince("gone.py", "deleted"),
        FileSince("part.py", "unknown", reason="2 seen lines are the same"),
        FileSince("photo.py", "unknown", reason="it cannot be read as text"),
        FileSince("same.py", "unchanged"),
    ]


def test_a_file_that_a_command_may_have_changed_is_unknown(shop: Path, tmp_path: Path) -> None:
    script = Written(cwd=str(shop))
    script.user("Write and format")
    script.wrote(shop / "prices.py", "one\n")
    script.calls("Bash", {"command": "sed -i s/one/two/ prices.py"}, "b1")
    script.result("", "b1")
    (shop / "prices.py").write_text("two\n")
    [file] = files(tmp_path, script, 1)
    assert (file.state, file.reason) == ("unknown", "turn 1: a shell command may have changed it")


def test_without_the_project_on_the_disk_nothing_is_known(shop: Path, tmp_path: Path) -> None:
    script = Written(cwd="/home/ana/code/not-here")
    script.user("Write it")
    script.wrote(Path("/home/ana/code/not-here/prices.py"), "one\n")
    assert files(tmp_path, script, 1) == [
        FileSince("prices.py", "unknown", reason="its project is not on this disk"),
    ]


def test_only_the_own_home_folder_is_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/nobody-here")
    monkeypatch.setenv("USERPROFILE", "/home/nobody-here")
    script = Written(cwd="/home/nobody-here/shop")
    script.user("Write the notes")
    for name in ("nobody-here", "nobody-else"):
        script.wrote(Path("/home", name, "notes.md"), "one\n")
    assert [(file.path, file.state) for file in files(tmp_path, script, 1)] == [
        ("/home/nobody-else/notes.md", "deleted"),
        ("~/notes.md", "deleted"),
    ]


@pytest.mark.skipif(IS_WINDOWS, reason="it has no pipes in folders")
def test_a_pipe_in_the_place_of_a_file_is_not_read(shop: Path, tmp_path: Path) -> None:
    script = Written(cwd=str(shop))
    script.user("Write it")
    script.wrote(shop / "prices.py", "one\n")
    os.mkfifo(shop / "prices.py")
    assert files(tmp_path, script, 1) == [FileSince("prices.py", "unknown", reason="it is no file any more")]
