"""`memtui pr`: what it prints of the turns behind a pull request."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.origin.pr import pr
from support.repositories import Repository
from support.transcripts import SESSION

URL = "https://github.com/ana/shop/pull/41"
LOADER = "def load(path):\n    return path.read_text()\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository in which a session wrote two lines, committed them, and made a pull request, which was merged."""
    repository = Repository(tmp_path)
    repository.git("init", "-q", "-b", "main")
    repository.git("remote", "add", "origin", "https://github.com/ana/shop.git")
    repository.write("README.md", "# Shop\n")
    repository.commit("Begin")
    calls = repository.session().writes("load.py", LOADER)
    repository.write("load.py", f"{LOADER}# by hand\n")
    calls.turn("commit").runs("git add -A; git commit -m 'Load files'", result=repository.commit("Load files (#41)"))
    calls.turn("ask").runs("gh pr create --title 'Load\x1b[31m files' --body ''", result=f"{URL}\n")
    repository.index(calls).close()
    monkeypatch.chdir(repository.root)
    return repository


def run(repository: Repository, *arguments: str) -> Result:
    return CliRunner().invoke(pr, [*arguments, "--data-dir", str(repository.folder / "data")])


@pytest.mark.parametrize("name", ["41", "#41", "ana/shop#41", URL])
def test_the_turns_behind_a_pull_request(repository: Repository, name: str) -> None:
    head, facts, blank, *rows = run(repository, name).stdout.splitlines()
    commit = repository.git("rev-parse", "HEAD")[:10]
    assert head == "#41  Load files"
    assert facts == (
        f"created · ana/shop · 1 commit, by the subject of {commit} · 3 lines added, 2 of them by edits of sessions"
        f" · {URL}"
    )
    assert blank == ""
    assert [re.split(r" {2,}", re.sub(r" \d+ [smhdy]  claude", " AGE  claude", row)) for row in rows] == [
        ["11111111:1", "AGE", "claude", "wrote 2 lines", "1 file", "go on"],
        ["11111111:2", "AGE", "claude", "1 commit", "go on"],
        ["11111111:3", "AGE", "claude", "made it", "go on"],
    ]


def test_as_json(repository: Repository) -> None:
    found = json.loads(run(repository, "41", "--json").stdout)
    common = {
        "number": 41,
        "repository": "ana/shop",
        "url": URL,
        "pr_title": "Load files",
        "state": "created",
        "added": 3,
        "session_id": SESSION,
        "agent": "claude-code",
        "title": "go on",
    }
    nothing = {"commits": [], "lines": 0, "files": []}
    commit = repository.git("rev-parse", "HEAD").strip()
    wrote = {"proofs": ["wrote"], "commits": [], "lines": 2, "files": ["load.py"]}
    assert found == [
        common | {"turn": 1, "at": "2026-11-01T09:00:20Z"} | wrote,
        common | {"turn": 2, "at": "2026-11-01T09:00:40Z"} | nothing | {"proofs": ["committed"], "commits": [commit]},
        common | {"turn": 3, "at": "2026-11-01T09:01:20Z"} | nothing | {"proofs": ["opened", "named"]},
    ]


def test_what_names_no_pull_request(repository: Repository) -> None:
    assert run(repository, "load.py").stderr.splitlines()[-1] == (
        "Error: Invalid value for NUMBER: name a number, as in 41, owner/name#41 or its address."
    )
    unknown = run(repository, "7")
    assert (unknown.exit_code, unknown.stderr) == (
        1,
        "memtui: No session names a pull request #7, and no repository here does.\n",
    )


@pytest.mark.parametrize(
    ("remote", "why"),
    [
        ("", "this repository has no remote named like the pull request's"),
        ("https://github.com/ben/shop", "the remote of this repository is github.com/ben/shop"),
    ],
)
def test_without_the_remote_of_the_pull_request_it_says_why_its_commits_are_unknown(
    repository: Repository, remote: str, why: str
) -> None:
    repository.git("remote", "remove", "origin")
    if remote:
        repository.git("remote", "add", "origin", remote)
    _, facts, *rows = run(repository, "41").stdout.splitlines()
    assert facts == f"created · ana/shop · its commits are unknown: {why} · {URL}"
    assert [row.split()[0] for row in rows if row] == ["11111111:3"]
