"""`memtui restore`: what is written, what is said, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.keeping.restore import restore
from support.archives import archived_index
from support.indexes import update
from support.transcripts import OTHER_SESSION, SESSION, Script

CODE = "def upload():\n    return retry()\n"
NUMBERED = "1\tdef upload():\n2\t    return retry()\n3\t"


def make(folder: Path, root: Path, session_id: str = SESSION) -> Path:
    """A session that writes one file, and reads another one in part."""
    script = Script(session_id, str(root), session_id[0])
    script.user("Write the upload")
    script.calls("Write", {"file_path": f"{root}/src/upload.py", "content": CODE}, "t1")
    script.result("File created successfully", "t1")
    script.user("Read a part")
    script.calls("Read", {"file_path": f"{root}/src/big.py", "offset": 10, "limit": 2}, "t2")
    script.result("10\tten\n11\televen\n", "t2")
    script.says("Done.")
    return script.write(folder / "projects" / "shop")


def run(folder: Path, *arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(restore, [*arguments, "--data-dir", str(folder / "data")], input=answer)


@pytest.fixture
def deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The transcript of a session that was archived and then deleted."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    path = make(tmp_path, root)
    archived_index(tmp_path / "data", path)
    (tmp_path / "copy.jsonl").write_bytes(path.read_bytes())
    path.unlink()
    update(tmp_path / "data", path.parent)
    return path


@pytest.mark.spec("S6.3")
def test_a_session_is_written_where_it_was(deleted: Path, tmp_path: Path) -> None:
    result = run(tmp_path, "1111")
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        f"{deleted}\n",
        f"1 file written, byte by byte as the agent had written.\ncd {tmp_path}/shop && claude --resume {SESSION}\n",
    )
    assert deleted.read_bytes() == (tmp_path / "copy.jsonl").read_bytes()
    again = run(tmp_path, "1111")
    assert (again.exit_code, again.stderr) == (1, f"memtui: {deleted} exists, and is not replaced.\n")


def test_with_a_folder_it_is_written_there(deleted: Path, tmp_path: Path) -> None:
    result = run(tmp_path, "1111", "--output", str(tmp_path / "out"), "--dry-run")
    assert (result.stdout, (tmp_path / "out").exists()) == (f"{tmp_path}/out/{deleted.name}\n", False)
    assert run(tmp_path, "1111", "--output", str(tmp_path / "out")).exit_code == 0
    assert (tmp_path / "out" / deleted.name).read_bytes() == (tmp_path / "copy.jsonl").read_bytes()
    assert not deleted.exists()


def test_a_transcript_that_is_not_archived_is_made_anew_if_that_is_wanted(deleted: Path, tmp_path: Path) -> None:
    other = make(tmp_path, tmp_path / "shop", OTHER_SESSION)
    update(tmp_path / "data", other.parent)
    refused = run(tmp_path, "2222")
    assert (refused.exit_code, refused.stderr) == (1, f"memtui: {other} exists: the transcript was not deleted.\n")
    other.unlink()
    update(tmp_path / "data", other.parent)
    shown = run(tmp_path, "2222", "--dry-run")
    assert (shown.exit_code, list((tmp_path / "projects").rglob("*.jsonl"))) == (0, [])
    result = run(tmp_path, "2222", "--yes")
    (made,) = (tmp_path / "projects").rglob("*.jsonl")
    assert made != other
    assert result.stderr.splitlines()[0] == (
        "The bytes of this transcript were not archived. What follows is made anew from the conversation, without tool"
        " calls, as a session with an id of its own."
    )
    assert b"(made anew by memtui)" in made.read_bytes()


def test_an_agent_without_such_sessions_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    path = folder / "s.json"
    path.write_text(
        '{"sessionId": "abc", "title": "Retry", "workspaceDirectory": "/home/ana/code/shop", "history": ['
        '{"message": {"role": "user", "content": "Retry"}}, {"message": {"role": "assistant", "content": "Done."}}]}'
    )
    update(tmp_path / "data", folder, agent="continue")
    path.unlink()
    update(tmp_path / "data", folder, agent="continue")
    result = run(tmp_path, "abc")
    assert (result.exit_code, result.stderr) == (
        1,
        "memtui: The bytes of this transcript were not archived, and memtui cannot make a session for Continue."
        " memtui show abc shows it, memtui handoff gives it to another agent.\n",
    )


def test_a_transcript_of_which_the_end_is_not_archived_is_only_written_elsewhere(tmp_path: Path) -> None:
    script = Script()
    script.user("Retry the upload")
    script.says("Done.")
    path = script.write(tmp_path / "projects")
    archived_index(tmp_path / "data", path)
    size = path.stat().st_size
    script.user("One more")
    script.write(tmp_path / "projects")
    update(tmp_path / "data", path.parent)
    path.unlink()
    update(tmp_path / "data", path.parent)
    result = run(tmp_path, SESSION)
    assert (result.exit_code, path.exists()) == (1, False)
    assert "were not archived before it was deleted" in result.stderr
    assert run(tmp_path, SESSION, "--output", str(tmp_path / "out")).exit_code == 0
    assert (tmp_path / "out" / path.name).stat().st_size == size


@pytest.mark.spec("S6.3")
def test_a_file_is_written_as_the_session_knew_it(deleted: Path, tmp_path: Path) -> None:
    file = tmp_path / "shop" / "src" / "upload.py"
    result = run(tmp_path, "upload.py", "--at", "1111:1")
    assert (result.exit_code, result.stdout, file.read_text()) == (0, f"{file}\n", CODE)
    assert run(tmp_path, "upload.py", "--at", "1111:1").stderr == f"{file} has this content already.\n"
    file.write_text("mine")
    file.chmod(0o755)
    refused = run(tmp_path, "upload.py", "--at", "1111:1")
    assert (refused.exit_code, file.read_text()) == (2, "mine")
    assert run(tmp_path, str(file), "--at", "1111", "--yes").exit_code == 0
    assert (file.read_text(), file.stat().st_mode & 0o777) == (CODE, 0o755)
    assert run(tmp_path, "src/upload.py", "--at", "1111:2", "--output", "-").stdout == CODE
    other = tmp_path / "new" / "there.py"
    assert run(tmp_path, "src/upload.py", "--at", "1111:2", "--output", str(other)).exit_code == 0
    assert other.read_text() == CODE


def test_of_a_file_that_is_known_in_part_nothing_is_written(deleted: Path, tmp_path: Path) -> None:
    result = run(tmp_path, "big.py", "--at", "1111:2")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "memtui: Lines 10-11 of this file are known at turn 2: lines 1–9: never read; what follows line 11 was never"
        " read. Nothing was written. --output - prints what is known.\n"
    )
    shown = run(tmp_path, "big.py", "--at", "1111:2", "--output", "-")
    assert (shown.exit_code, shown.stdout) == (1, "    10  ten\n    11  eleven\n")
    assert not (tmp_path / "shop" / "src" / "big.py").exists()


def test_what_is_known_of_a_file_elsewhere_is_named_with_the_next_command(tmp_path: Path) -> None:
    make(tmp_path, tmp_path / "shop")
    other = Script(OTHER_SESSION, str(tmp_path / "shop"), "o")
    other.user("Read it all")
    other.calls("Read", {"file_path": f"{tmp_path}/shop/src/big.py"}, "o1")
    other.result("1\tone\n2\ttwo\n3\t", "o1")
    other.user("Change it")
    other.calls("Bash", {"command": "sed -i s/one/1/ src/big.py src/upload.py src/new.py"}, "o2")
    other.result("", "o2")
    other.user("Look at src/said.py")
    other.says("Done.")
    other.write(tmp_path / "projects" / "shop")
    update(tmp_path / "data", tmp_path / "projects")
    whole = (
        "The whole file is known at:\n  22222222:1  2026-11-01 09:00  shop  src/big.py\n"
        "memtui restore src/big.py --at 22222222:1 --output - prints it.\n"
    )
    part = run(tmp_path, "big.py", "--at", "1111:2").stderr
    assert part == (
        "memtui: Lines 10-11 of this file are known at turn 2: lines 1–9: never read; what follows line 11 was never"
        f" read. Nothing was written. --output - prints what is known.\n{whole}"
    )
    assert run(tmp_path, "src/big.py", "--at", "22222222:1", "--output", "-").stdout == "one\ntwo\n"
    later = run(tmp_path, "big.py", "--at", "2222:2").stderr
    assert later == (
        "memtui: No line of this file is certain at turn 2: turn 2: a shell command may have changed it. Nothing was"
        f" written. --output - prints what is known.\n{whole}"
    )
    unknown = run(tmp_path, "big.py", "--at", "yesterday").stderr
    assert unknown == (
        f"memtui: There is no session whose id begins with 'yesterday'. --at takes SESSION:TURN.\n{whole}"
    )
    refused = run(tmp_path, "big.py", "--at", "2026-11-01 09:00")
    assert (refused.exit_code, refused.stderr.endswith(whole)) == (2, True)


def test_where_nothing_is_known_of_a_file_the_list_of_its_turns_is_named(deleted: Path, tmp_path: Path) -> None:
    script = Script(OTHER_SESSION, str(tmp_path / "shop"), "o")
    script.user("Change it")
    script.calls("Bash", {"command": "sed -i s/one/1/ src/new.py"}, "o2")
    script.result("", "o2")
    script.write(tmp_path / "projects" / "shop")
    update(tmp_path / "data", tmp_path / "projects")
    assert run(tmp_path, "new.py", "--at", "2222:1").stderr == (
        "memtui: No line of this file is certain at turn 1: nothing of it was read or written; turn 1: a shell command"
        " may have changed it. Nothing was written.\n"
        "No session shows its lines. memtui files src/new.py --sessions lists the turns that touched it.\n"
    )
    assert run(tmp_path, "gone.py", "--at", "2222:1").stderr == (
        "memtui: The session touched no file gone.py.\n"
        "No session read or edited such a file. memtui files gone.py lists those that they mention.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nothing"], 1, "nothing"),
        (["nothing.py", "--at", "1111:1"], 1, "The session touched no file nothing.py."),
        (["upload.py", "--at", "1111:9"], 2, "1111 has 2 turns."),
        (["upload.py", "--at", "1111:x"], 2, "names no turns"),
        (["1111", "--output", "-"], 2, "--output - needs --at"),
        (["upload.py", "--at", "1111:1", "--keep-time"], 2, "--keep-time has no use"),
    ],
)
def test_what_does_not_exist_is_named(
    deleted: Path, tmp_path: Path, arguments: list[str], code: int, said: str
) -> None:
    result = run(tmp_path, *arguments)
    assert (result.exit_code, said in result.stderr) == (code, True)
    assert [path for path in (tmp_path / "shop").rglob("*") if path.is_file()] == []


def test_a_file_that_the_user_cannot_write_is_an_error(deleted: Path, tmp_path: Path) -> None:
    (tmp_path / "shop" / "file").write_text("")
    result = run(tmp_path, "upload.py", "--at", "1111:1", "--output", str(tmp_path / "shop" / "file" / "x.py"))
    assert (result.exit_code, os.path.lexists(tmp_path / "shop" / "file" / "x.py")) == (1, False)


@pytest.mark.parametrize(("action", "code"), [("kill", -9), ("full", 1)])
def test_a_death_or_a_full_disk_while_writing_leaves_no_file(
    deleted: Path, tmp_path: Path, action: str, code: int
) -> None:
    command = [sys.executable, "-m", "memtui", "restore", SESSION, "--data-dir", str(tmp_path / "data")]
    environment = {**os.environ, "MEMTUI_FAULT": f"transcript-written:{action}"}
    result = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert (result.returncode, deleted.exists(), result.stdout) == (code, False, b"")
    assert run(tmp_path, SESSION).exit_code == 0
    assert deleted.read_bytes() == (tmp_path / "copy.jsonl").read_bytes()
    assert [path.name for path in deleted.parent.iterdir()] == [deleted.name]
