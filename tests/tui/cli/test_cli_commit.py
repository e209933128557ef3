"""`memtui commit`: what it prints of the turns behind a commit."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.origin.commit import commit
from support.repositories import Repository
from support.transcripts import SESSION

LOADER = "def load(path):\n    return path.read_text()\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository in which a session wrote two lines and committed them with one by hand."""
    repository = Repository(tmp_path)
    repository.git("init", "-q", "-b", "main")
    repository.write("README.md", "# Shop\n")
    repository.commit("Begin")
    calls = repository.session().writes("load.py", LOADER)
    repository.write("load.py", f"{LOADER}# by hand\n")
    calls.turn("commit").runs("git add -A; git commit -m 'Load files'", result=repository.commit("Load files"))
    repository.index(calls).close()
    monkeypatch.chdir(repository.root)
    return repository


def run(repository: Repository, *arguments: str) -> Result:
    return CliRunner().invoke(commit, [*arguments, "--data-dir", str(repository.folder / "data")])


def test_the_turns_behind_a_commit(repository: Repository) -> None:
    head, facts, blank, *rows = run(repository, "HEAD").stdout.splitlines()
    assert head == f"{repository.git('rev-parse', 'HEAD')[:10]}  Load files"
    assert facts.endswith(" · AUTHOR@shop · 3 lines added, 2 of them by edits of sessions")
    assert blank == ""
    assert [re.split(r" {2,}", re.sub(r" \d+ [smhdy]  claude", " AGE  claude", row)) for row in rows] == [
        ["11111111:1", "AGE", "claude", "wrote 2 lines", "1 file", "go on"],
        ["11111111:2", "AGE", "claude", "made it", "go on"],
    ]


def test_as_json(repository: Repository) -> None:
    found = json.loads(run(repository, "HEAD", "--json").stdout)
    common = {
        "commit": repository.git("rev-parse", "HEAD").strip(),
        "subject": "Load files",
        "added": 3,
        "session_id": SESSION,
        "agent": "claude-code",
        "title": "go on",
    }
    assert found == [
        common | {"turn": 1, "at": "2026-11-01T09:00:20Z", "proofs": ["wrote"], "lines": 2, "files": ["load.py"]},
        common | {"turn": 2, "at": "2026-11-01T09:00:40Z", "proofs": ["made"], "lines": 0, "files": []},
    ]


def test_a_note_is_printed_and_not_written(repository: Repository) -> None:
    assert run(repository, "HEAD", "--notes").stdout.splitlines() == [
        f"Session: claude-code {SESSION}:1 wrote 2 lines of 3 added",
        f"Session: claude-code {SESSION}:2 made it",
    ]
    assert repository.git("notes", "list") == ""


def test_a_note_is_written_only_when_asked_once_and_over_no_other(repository: Repository) -> None:
    lines = [
        f"Session: claude-code {SESSION}:1 wrote 2 lines of 3 added",
        f"Session: claude-code {SESSION}:2 made it",
    ]
    head = repository.git("rev-parse", "HEAD")[:10]
    see = f"git notes --ref=memtui show {head}"
    for name, value in {"user.name": "Ana", "user.email": "ana@shop"}.items():
        repository.git("config", name, value)
    first = run(repository, "HEAD", "--write")
    assert (first.stdout.splitlines(), first.stderr) == (lines, f"Written: {see}\n")
    assert repository.git("notes", "--ref=memtui", "show", "HEAD").splitlines() == lines
    assert run(repository, "HEAD", "--notes", "--write").stderr == f"The note is there already: {see}\n"
    repository.git("notes", "--ref=memtui", "add", "-f", "-m", "Mine", "HEAD")
    other = run(repository, "HEAD", "--write")
    assert (other.exit_code, other.stderr) == (1, f"Error: {head} has another note of memtui, which stays: {see}\n")
    assert repository.git("notes", "--ref=memtui", "show", "HEAD") == "Mine\n"
    nothing = run(repository, "HEAD~1", "--write")
    assert nothing.stderr == "Nothing proves that a session is behind this commit, so there is no note.\n"
    assert run(repository, "HEAD", "--write", "--json").exit_code == 2
    # A note of the user's own is in another place.
    assert repository.git("notes", "list") == ""


def test_a_commit_without_sessions_and_one_that_does_not_exist(repository: Repository) -> None:
    nobody = run(repository, "HEAD~1")
    assert nobody.stderr == "Nothing proves that a session is behind this commit.\n"
    assert json.loads(run(repository, "HEAD~1", "--json").stdout) == []
    unknown = run(repository, "1234567")
    assert (unknown.exit_code, unknown.stderr) == (1, f"memtui: git knows no commit 1234567 in {repository.root}.\n")


def test_a_commit_that_was_amended_later_says_so(repository: Repository) -> None:
    before = repository.git("rev-parse", "--short", "HEAD").strip()
    calls = repository.session().runs("git commit -m 'Load files'", result=f"[main {before}] Load files")
    repository.git("commit", "--amend", "-m", "Load all files")
    after = repository.git("rev-parse", "--short", "HEAD").strip()
    calls.turn("amend").runs("git commit --amend -m 'Load all files'", result=f"[main {after}] Load all files")
    repository.index(calls).close()
    proofs = [run(repository, name).stdout.splitlines()[-1].split("  ")[3] for name in (before, after)]
    assert proofs == ["made it, amended later", "made it"]
