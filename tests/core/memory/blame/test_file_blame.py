"""Blame of files on the disk, by the transcripts of agents."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memtui_core.errors import SourceUnreadable
from memtui_core.index.index import Index
from memtui_core.memory.blame.values import BlamedLine
from support.indexes import update
from support.repositories import Repository
from support.rollouts import Rollout
from support.transcripts import OTHER_SESSION, SESSION

LOADER = "def load(path):\n    with open(path) as file:\n        return file.read()\n"
SAVER = "def save(path, text):\n    with open(path, 'w') as file:\n        file.write(text)\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def turns(lines: list[BlamedLine]) -> list[str]:
    """The writers of lines: the first letter of the session, and the turn."""
    return [f"{line.writer.session_id[0]}:{line.writer.turn}" if line.writer is not None else "" for line in lines]


def test_each_line_has_its_turn_and_its_evidence(repository: Repository) -> None:
    first = repository.session().writes("a.py", LOADER).turn().edits("a.py", "file.read()", "file.read().strip()")
    path = repository.write("a.py", LOADER.replace("read()", "read().strip()") + "typed = True\n")
    found = repository.index(first).files.blame(path)
    assert [(line.number, line.text, line.evidence) for line in found] == [
        (1, "def load(path):", "wrote"),
        (2, "    with open(path) as file:", "wrote"),
        (3, "        return file.read().strip()", "wrote"),
        (4, "typed = True", None),
    ]
    assert turns(found) == ["1:1", "1:1", "1:2", ""]
    writer = found[2].writer
    assert writer is not None
    assert (writer.session_id, writer.agent, writer.path) == (SESSION, "claude-code", str(path))
    assert writer.at is not None
    assert writer.at.isoformat() == "2026-11-01T09:00:50+00:00"


def test_sessions_follow_each_other_by_time_not_by_id(repository: Repository) -> None:
    later = repository.session(SESSION, day=2).edits("a.py", "file.read()", "file.read().strip()")
    earlier = repository.session(OTHER_SESSION, day=1).writes("a.py", LOADER)
    path = repository.write("a.py", LOADER.replace("read()", "read().strip()"))
    assert turns(repository.index(later, earlier).files.blame(path)) == ["2:1", "2:1", "1:1"]


def test_a_call_that_failed_or_has_no_result_claims_nothing(repository: Repository) -> None:
    calls = repository.session().writes("a.py", LOADER, error=True)
    calls.script.calls("Write", {"file_path": f"{repository.root}/a.py", "content": LOADER}, "open")
    path = repository.write("a.py", LOADER)
    assert turns(repository.index(calls).files.blame(path)) == ["", "", ""]


def test_the_patch_of_an_agent_finds_the_right_one_of_equal_places(repository: Repository) -> None:
    lines = ["def first():", "    return None", "def second():", "    return None", "def third():", "    return None"]
    shown = [f" {lines[2]}", "-    pass", f"+{lines[3]}", f" {lines[4]}"]
    patch = [{"oldStart": 3, "oldLines": 3, "newStart": 3, "newLines": 3, "lines": shown}]
    calls = repository.session().edits("a.py", "    pass", "    return None", toolUseResult={"structuredPatch": patch})
    path = repository.write("a.py", "\n".join(lines))
    assert turns(repository.index(calls).files.blame(path)) == ["", "", "", "1:1", "", ""]


@pytest.mark.parametrize("command", ["git mv old.py src/new.py", "cd . && mv -f old.py src/new.py"])
def test_a_file_that_was_renamed_keeps_its_writers(repository: Repository, command: str) -> None:
    calls = repository.session().writes("old.py", LOADER).turn().runs(command)
    path = repository.write("src/new.py", LOADER)
    assert turns(repository.index(calls).files.blame(path)) == ["1:1", "1:1", "1:1"]


@pytest.mark.parametrize("command", ["mv old.py src/", "git mv old.py README.md src", "cd . && mv -t src old.py"])
def test_a_file_that_was_moved_into_a_folder_keeps_its_writers(repository: Repository, command: str) -> None:
    calls = repository.session().writes("old.py", LOADER).turn().runs(command)
    path = repository.write("src/old.py", LOADER)
    assert turns(repository.index(calls).files.blame(path)) == ["1:1", "1:1", "1:1"]


@pytest.mark.parametrize("command", ["mv old.py lib/", "cat old.py src/old.py", "echo mv old.py src/"])
def test_a_file_of_that_name_that_was_moved_elsewhere_claims_nothing(repository: Repository, command: str) -> None:
    calls = repository.session().writes("old.py", LOADER).turn().runs(command)
    path = repository.write("src/old.py", LOADER)
    assert turns(repository.index(calls).files.blame(path)) == ["", "", ""]


def test_a_copy_has_the_writers_of_what_was_copied_until_then(repository: Repository) -> None:
    calls = repository.session().writes("old.py", LOADER).turn().runs("cp old.py new.py")
    calls.turn().edits("old.py", LOADER, f"{LOADER}# It reads all of it.\n")
    path = repository.write("new.py", f"{LOADER}# It reads all of it.\n")
    assert turns(repository.index(calls).files.blame(path)) == ["1:1", "1:1", "1:1", ""]


def test_a_patch_that_moves_a_file_is_followed(repository: Repository) -> None:
    patch = "*** Begin Patch\n*** Update File: old.py\n*** Move to: new.py\n@@\n-x = 1\n+limit = 10\n*** End Patch"
    calls = repository.session().writes("old.py", LOADER + "x = 1\n").turn().does("apply_patch", {"patch": patch})
    path = repository.write("new.py", LOADER + "limit = 10\n")
    assert turns(repository.index(calls).files.blame(path)) == ["1:1", "1:1", "1:1", "1:2"]


def test_lines_from_before_a_move_are_claimed_and_those_written_to_the_old_name_later_are_not(
    repository: Repository,
) -> None:
    calls = repository.session().writes("old.py", LOADER).turn().runs("git mv old.py new.py")
    calls.edits("new.py", "# the end", "# the very end of it")
    calls.turn().writes("old.py", SAVER)
    path = repository.write("new.py", LOADER + SAVER + "# the very end of it\n")
    assert turns(repository.index(calls).files.blame(path)) == ["1:1"] * 3 + [""] * 3 + ["1:2"]


@pytest.mark.parametrize("name", ["grüße.py", 'a "b".py', "with blanks.py", "[id].tsx"])
def test_names_that_json_may_escape(repository: Repository, name: str) -> None:
    path = repository.write(name, LOADER)
    assert turns(repository.index(repository.session().writes(name, LOADER)).files.blame(path)) == ["1:1"] * 3


def test_what_another_file_says_claims_nothing(repository: Repository) -> None:
    calls = repository.session().writes("src/a.py", LOADER).writes("b.py", SAVER)
    path = repository.write("a.py", LOADER)
    assert turns(repository.index(calls).files.blame(path)) == ["", "", ""]


def test_edits_in_a_worktree_count_and_end_nothing(repository: Repository) -> None:
    worktree = repository.root / ".claude" / "worktrees" / "try"
    here = repository.session().writes("a.py", LOADER)
    there = repository.session(OTHER_SESSION, day=1, cwd=worktree).writes("a.py", SAVER)
    path = repository.write("a.py", LOADER + SAVER)
    assert turns(repository.index(here, there).files.blame(path)) == ["1:1"] * 3 + ["2:1"] * 3


def test_a_rewrite_after_a_read_claims_only_what_is_new(repository: Repository) -> None:
    shown = "\n".join(f"{number:>6}→{line}" for number, line in enumerate(LOADER.split("\n"), 1))
    calls = repository.session().does("Read", {"file_path": f"{repository.root}/a.py"}, shown)
    calls.writes("a.py", LOADER + SAVER)
    path = repository.write("a.py", LOADER + SAVER)
    assert turns(repository.index(calls).files.blame(path)) == [""] * 3 + ["1:1"] * 3


def test_patches_of_codex_are_evidence(repository: Repository) -> None:
    rollout = Rollout(cwd=str(repository.root))
    rollout.turn(cwd=str(repository.root))
    rollout.user("Add it")
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n import os\n-x = 1\n+limit = 10\n+other = 20\n*** End Patch"
    rollout.item("custom_tool_call", call_id="c1", name="apply_patch", input=patch, status="completed")
    rollout.item("custom_tool_call_output", call_id="c1", output="Success. Updated the following files:\nM a.py\n")
    source = repository.folder / "rollout-2026-07-01T09-00-00-019f1f6f-0000-7000-8000-000000000001.jsonl"
    source.write_bytes(b"".join(line + b"\n" for line in rollout.lines))
    update(repository.folder / "data", source, agent="codex")
    path = repository.write("a.py", "import os\nlimit = 10\nother = 20\n")
    found = Index.open(repository.folder / "data").files.blame(path)
    assert [line.writer.agent if line.writer else "" for line in found] == ["", "codex", "codex"]


def test_here_documents_are_evidence(repository: Repository) -> None:
    calls = repository.session().runs(f"mkdir -p src && cd src && cat > a.py <<'EOF'\n{LOADER}EOF\necho done")
    calls.turn().runs(f'cat >> src/a.py << "END"\n{SAVER}END')
    path = repository.write("src/a.py", LOADER + SAVER)
    assert turns(repository.index(calls).files.blame(path)) == ["1:1"] * 3 + ["1:2"] * 3


def test_a_file_outside_of_any_project(repository: Repository) -> None:
    outside = repository.folder / "elsewhere" / "notes.md"
    outside.parent.mkdir()
    outside.write_text("first\nsecond line\n")
    calls = repository.session().does("Write", {"file_path": str(outside), "content": "first\nsecond line\n"})
    assert turns(repository.index(calls).files.blame(outside)) == ["1:1", "1:1"]


def test_edits_in_another_clone_of_the_repository_count(repository: Repository) -> None:
    clones = {}
    for name, address in {"clone": "git@example.org:ana/shop.git", "other": "https://example.org/ana/blog"}.items():
        clones[name] = repository.folder / name
        (clones[name] / ".git").mkdir(parents=True)
        (clones[name] / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {address}\n')
    (repository.root / ".git" / "config").write_text('[remote "origin"]\n\turl = https://example.org/ana/shop\n')
    there = repository.session(cwd=clones["clone"]).writes("a.py", LOADER)
    elsewhere = repository.session(OTHER_SESSION, cwd=clones["other"]).writes("a.py", SAVER)
    path = repository.write("a.py", LOADER + SAVER)
    index = repository.index(there, elsewhere)
    assert turns(index.files.blame(path)) == ["1:1"] * 3 + [""] * 3
    (repository.root / ".git" / "config").unlink()
    assert turns(index.files.blame(path)) == [""] * 6


def test_a_link_to_the_folder_leads_to_the_same_file(repository: Repository) -> None:
    calls = repository.session().writes("a.py", LOADER)
    repository.write("a.py", LOADER)
    link = repository.folder / "link"
    link.symlink_to(repository.root)
    assert turns(repository.index(calls).files.blame(link / "a.py")) == ["1:1"] * 3


def test_a_file_that_cannot_be_read(repository: Repository) -> None:
    index = repository.index(repository.session().writes("a.py", LOADER))
    with pytest.raises(SourceUnreadable, match=r"a\.py cannot be read: No such file"):
        index.files.blame(repository.root / "a.py")


def test_nothing_in_the_repository_is_changed(repository: Repository) -> None:
    subprocess.run(["git", "init", "-q", str(repository.root)], check=True)
    path = repository.write("a.py", LOADER)
    before = sorted((file, file.stat().st_mtime_ns) for file in repository.root.rglob("*"))
    repository.index(repository.session().writes("a.py", LOADER)).files.blame(path)
    assert sorted((file, file.stat().st_mtime_ns) for file in repository.root.rglob("*")) == before
