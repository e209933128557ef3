"""Lines that a session committed, by real histories of git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui_core.memory.blame.values import BlamedLine
from support.repositories import Calls, Repository
from support.transcripts import OTHER_SESSION

GENERATED = "table = [\n    'first entry',\n    'second entry',\n]\n"
LONG = "def answer(question, asked_by, at_time):\n    return reply(question, asked_by, at_time)\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path)
    repository.git("init", "-q", "-b", "main")
    repository.write("README.md", "# Shop\n")
    repository.commit("Begin")
    return repository


def commits(calls: Calls, repository: Repository, message: str) -> Calls:
    """The session commits everything."""
    return calls.turn().runs(f"git add -A && git commit -m '{message}'", result=repository.commit(message))


def proofs(lines: list[BlamedLine]) -> list[str]:
    """The turn and the evidence of each line."""
    return [f"{line.writer.session_id[0]}:{line.writer.turn} {line.evidence}" if line.writer else "" for line in lines]


def test_what_no_edit_shows_belongs_to_the_session_that_committed_it(repository: Repository) -> None:
    calls = repository.session().runs("python make_table.py")
    path = repository.write("table.py", GENERATED)
    commits(calls, repository, "Add the table")
    path.write_text("# typed later\n" + GENERATED)
    found = repository.index(calls).files.blame(path)
    assert proofs(found) == ["", "1:2 committed", "1:2 committed", "1:2 committed", ""]
    assert found[1].commit == repository.git("rev-parse", "HEAD").strip()


def test_the_commit_of_a_person_claims_nothing(repository: Repository) -> None:
    calls = repository.session().runs("git log -1", result="[main 1234567] looks like a commit\n 1 file changed")
    path = repository.write("table.py", GENERATED)
    repository.commit("By hand")
    assert proofs(repository.index(calls).files.blame(path)) == ["", "", "", ""]


def test_what_a_session_wrote_stays_its_own_whoever_commits_it(repository: Repository) -> None:
    writing = repository.session().writes("table.py", GENERATED)
    path = repository.write("table.py", GENERATED)
    committing = commits(repository.session(OTHER_SESSION, day=1), repository, "Add the table")
    assert proofs(repository.index(writing, committing).files.blame(path)) == ["1:1 wrote"] * 4


@pytest.mark.parametrize("squashes", [False, True])
def test_a_formatted_edit_is_found_by_what_the_commit_replaced(repository: Repository, squashes: bool) -> None:
    path = repository.write("a.py", "import os\nold_answer_of_the_shop = None\n")
    repository.commit("Begin it")
    shown = [" import os", "-old_answer_of_the_shop = None", *(f"+{line}" for line in LONG.splitlines())]
    patch = [{"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 3, "lines": shown}]
    calls = repository.session().edits(
        "a.py", "old_answer_of_the_shop = None\n", LONG, toolUseResult={"structuredPatch": patch}
    )
    formatted = LONG.replace("question, asked_by, at_time):", "\n    question,\n    asked_by,\n    at_time,\n):")
    path.write_text("import os\n" + formatted)
    repository.commit("Answer")
    if squashes:
        repository.write("b.py", "unrelated = True\n")
        repository.commit("More")
        repository.git("reset", "-q", "--soft", "HEAD~2")
        repository.commit("Both")
    found = repository.index(calls).files.blame(path)
    assert proofs(found) == [
        "", "1:1 committed", "1:1 committed", "1:1 committed", "1:1 committed", "", "1:1 wrote",
    ]  # fmt: skip


def test_another_replacement_of_the_same_text_is_no_proof(repository: Repository) -> None:
    path = repository.write("a.py", "import os\nold_answer_of_the_shop = None\n")
    repository.commit("Begin it")
    calls = repository.session().edits("a.py", "old_answer_of_the_shop = None\n", LONG)
    path.write_text("import os\nnew_answer_of_the_owner = ask(os.environ)\n")
    repository.commit("Answer by hand")
    assert proofs(repository.index(calls).files.blame(path)) == ["", ""]


def test_programs_of_the_repository_are_not_run(repository: Repository) -> None:
    ran = repository.folder / "ran"
    path = repository.write("a.py", GENERATED)
    repository.write(".gitattributes", "*.py diff=odd\n")
    repository.commit()
    for name in ("diff.external", "diff.odd.textconv", "diff.odd.command", "core.fsmonitor", "core.pager"):
        repository.git("config", name, f"touch {ran}; true")
    index = repository.index(repository.session().writes("b.py", "x"))
    ran.unlink(missing_ok=True)
    assert proofs(index.files.blame(path)) == ["", "", "", ""]
    assert not ran.exists()
    repository.git("diff", "HEAD~1")
    assert ran.exists()


def test_without_git_edits_are_evidence_alone(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = repository.session().writes("table.py", GENERATED)
    path = repository.write("table.py", GENERATED + "more = 1\n")
    commits(calls, repository, "Add the table")
    index = repository.index(calls)
    assert proofs(index.files.blame(path)) == ["1:1 wrote"] * 4 + ["1:2 committed"]
    monkeypatch.setenv("PATH", str(repository.folder))
    assert proofs(index.files.blame(path)) == ["1:1 wrote"] * 4 + [""]


def test_a_git_that_does_not_answer_is_ended(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = repository.session().runs("python make_table.py")
    path = repository.write("table.py", GENERATED)
    index = repository.index(commits(calls, repository, "Add the table"))
    program = repository.folder / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr("memtui_core.memory.blame.git._SECONDS", 0.05)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    assert proofs(index.files.blame(path)) == ["", "", "", ""]
