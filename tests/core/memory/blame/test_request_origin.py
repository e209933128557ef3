"""The turns behind a pull request, by real histories of git."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memtui_core.errors import NothingSelected
from memtui_core.memory.blame.values import RequestOrigin
from support.repositories import Calls, Repository
from support.transcripts import OTHER_SESSION

URL = "https://github.com/ana/shop/pull/41"
LINES = "def load(path):\n    return path.read_text()\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path)
    repository.git("init", "-q", "-b", "main")
    repository.git("remote", "add", "origin", "git@github.com:ana/shop.git")
    repository.write("README.md", "# Shop\n")
    repository.commit("Begin")
    return repository


def work(repository: Repository) -> tuple[Calls, Calls]:
    """On a branch, one session writes two lines; another one adds a line, commits all, and makes the pull request."""
    repository.git("switch", "-q", "-c", "loading")
    first = repository.session().writes("load.py", LINES)
    second = repository.session(OTHER_SESSION, day=1)
    second.edits("load.py", "    return path.read_text()", '    """Read it."""\n    return path.read_text()')
    repository.write("load.py", LINES.replace("    return", '    """Read it."""\n    return') + "# typed by hand\n")
    second.turn("Commit").runs("git add -A && git commit -m 'Load files'", result=repository.commit("Load files"))
    second.turn("Ask for it").runs("gh pr create --title 'Load files' --body ''", result=f"{URL}\n")
    return first, second


def merged(repository: Repository) -> None:
    repository.git("switch", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge pull request #41 from ana/loading", "loading")


def squashed(repository: Repository) -> None:
    repository.git("switch", "-q", "main")
    repository.git("merge", "-q", "--squash", "loading")
    repository.git("commit", "-q", "-m", "Load files (#41)")
    repository.git("branch", "-q", "-D", "loading")


def left_open(repository: Repository) -> None:
    repository.git("switch", "-q", "main")
    repository.git("update-ref", "refs/pull/41/head", "loading")


def told(origin: RequestOrigin) -> list[tuple[str, bool, bool, int, int]]:
    """Each turn, whether it made or named the pull request, how many commits it made, and the lines that it wrote."""
    return [
        (f"{turn.session.session_id[0]}:{turn.turn}", turn.opened, turn.named, len(turn.made), turn.lines)
        for turn in origin.turns
    ]


@pytest.mark.parametrize(
    ("lands", "found_by", "made"),
    [(merged, "merge commit ", 1), (squashed, "the subject of ", 1), (left_open, "refs/pull/41/head", 1)],
)
def test_who_made_it_and_who_wrote_its_commits(
    repository: Repository, lands: Callable[[Repository], None], found_by: str, made: int
) -> None:
    sessions = work(repository)
    lands(repository)
    index = repository.index(*sessions)
    origin = index.pull_requests.origin(41, repository.root)
    assert (origin.repository, origin.url, origin.title, origin.state) == ("ana/shop", URL, "Load files", "created")
    assert origin.found_by.startswith(found_by)
    assert (len(origin.commits), origin.unread, origin.added, origin.claimed) == (1, 0, 4, 3)
    assert told(origin) == [
        ("1:1", False, False, 0, 2),
        ("2:1", False, False, 0, 1),
        ("2:2", False, False, made, 0),
        ("2:3", True, True, 0, 0),
    ]
    # From elsewhere its repository is found by the sessions.
    assert told(index.pull_requests.origin(41, repository.folder)) == told(origin)
    assert told(index.pull_requests.origin(41, repository.folder, "Ana/Shop")) == told(origin)


def on_branch(calls: Calls, branch: str) -> Calls:
    """The same session, with its work on a branch."""
    lines = calls.script.lines
    lines[:] = [line.replace(b'"gitBranch":"main"', f'"gitBranch":"{branch}"'.encode()) for line in lines]
    return calls


def test_without_a_merge_its_commits_are_those_of_the_branch_of_its_last_session(repository: Repository) -> None:
    first, second = work(repository)
    repository.git("switch", "-q", "-c", "other")
    repository.write("other.py", "x = 1\n")
    repository.commit("Something else")
    repository.git("switch", "-q", "main")
    repository.write("main.py", "y = 1\n")
    repository.commit("Go on with main")
    index = repository.index(first, on_branch(second, "loading"))
    origin = index.pull_requests.origin(41, repository.root)
    assert (origin.found_by, origin.added, origin.claimed) == ("branch loading", 4, 3)
    assert origin.commits == (repository.git("rev-parse", "loading").strip(),)
    assert told(origin) == [
        ("1:1", False, False, 0, 2),
        ("2:1", False, False, 0, 1),
        ("2:2", False, False, 1, 0),
        ("2:3", True, True, 0, 0),
    ]
    # What was pushed counts, also where the branch here has gone on.
    pushed = repository.git("rev-parse", "loading").strip()
    repository.git("update-ref", "refs/remotes/origin/loading", pushed)
    repository.git("branch", "-f", "loading", "other")
    assert index.pull_requests.origin(41, repository.root).commits == (pushed,)
    repository.git("update-ref", "-d", "refs/remotes/origin/loading")
    assert len(index.pull_requests.origin(41, repository.root).commits) == 2
    # A branch that is gone names nothing.
    repository.git("branch", "-q", "-D", "loading")
    assert index.pull_requests.origin(41, repository.root).found_by == ""


def test_commits_of_the_default_branch_are_not_those_of_a_pull_request(repository: Repository) -> None:
    first, second = work(repository)
    repository.git("switch", "-q", "main")
    repository.git("update-ref", "refs/remotes/origin/HEAD", "main")
    repository.write("main.py", "y = 1\n")
    repository.commit("Go on with main, not pushed")
    origin = repository.index(first, second).pull_requests.origin(41, repository.root)
    assert (origin.found_by, origin.commits) == ("", ())


def test_without_a_repository_it_is_what_the_sessions_say(repository: Repository) -> None:
    index = repository.index(*work(repository))
    (repository.root / ".git").rename(repository.folder / "away")
    origin = index.pull_requests.origin(41, repository.root)
    assert (origin.found_by, origin.commits, origin.added) == ("", (), 0)
    assert told(origin) == [("2:3", True, True, 0, 0)]


def test_a_pull_request_that_no_session_names_has_the_turns_behind_its_commits(repository: Repository) -> None:
    first, _ = work(repository)
    merged(repository)
    origin = repository.index(first).pull_requests.origin(41, repository.root)
    assert (origin.repository, origin.url, origin.title) == ("ana/shop", "", "")
    assert told(origin) == [("1:1", False, False, 0, 2)]


def test_commits_of_another_repository_with_that_number_are_not_its_own(repository: Repository, tmp_path: Path) -> None:
    sessions = work(repository)
    merged(repository)
    index = repository.index(*sessions)
    other = Repository(tmp_path / "other")
    other.git("init", "-q", "-b", "main")
    other.git("remote", "add", "origin", "git@github.com:ana/blog.git")
    other.write("a.py", "a = 1\n")
    other.commit("Another thing (#41)")
    origin = index.pull_requests.origin(41, other.root)
    assert origin.repository == "ana/shop"
    assert origin.found_by.startswith("merge commit ")


def test_what_is_not_known_or_not_clear_is_refused(repository: Repository) -> None:
    first, second = work(repository)
    blog = repository.session("33333333-3333-4333-8333-333333333333", cwd=repository.folder / "blog")
    blog.runs("gh pr create --title 'Blog' --body ''", result="https://github.com/ana/blog/pull/41\n")
    index = repository.index(first, second, blog)
    with pytest.raises(NothingSelected, match="No session names a pull request #7, and no repository here does"):
        index.pull_requests.origin(7, repository.root)
    with pytest.raises(NothingSelected, match="No session names a pull request #41 of ana/wiki"):
        index.pull_requests.origin(41, repository.root, "ana/wiki")
    with pytest.raises(NothingSelected, match="several pull requests #41: ana/shop#41, ana/blog#41"):
        index.pull_requests.origin(41, repository.folder)
    assert index.pull_requests.origin(41, repository.folder, "ana/blog").title == "Blog"


def test_the_turns_of_its_sessions_that_named_it(repository: Repository) -> None:
    _, second = work(repository)
    naming = (
        "gh pr view 41 --comments",
        "gh pr edit 41 -R ana/shop --title 'Load all files'",
        f"gh pr close {URL}",
        "gh api repos/ana/shop/pulls/41/comments",
    )
    for command in naming:
        second.turn("And").runs(command)
    second.turn("Look at ana/shop#41").turn("And").script.says(f"It is [#41]({URL}).")
    others = ("gh pr view 410", "gh pr view 41 -R ana/blog", "gh issue view 41", "gh api repos/ana/shop/pulls/410")
    for command in others:
        second.turn("And").runs(command)
    second.turn("And").runs("gh pr list", result=f"41\tLoad files\tloading\tOPEN\n{URL}\n")
    second.turn(f"See {URL}0").turn("Number 41 is best").runs("sleep 41")
    elsewhere = repository.session("33333333-3333-4333-8333-333333333333", day=2).turn(f"What is {URL}?")
    origin = repository.index(second, elsewhere).pull_requests.origin(41, repository.folder)
    assert [turn for turn, _, named, *_ in told(origin) if named] == [f"2:{number}" for number in range(3, 10)]


def test_a_number_in_a_command_names_none_in_a_session_with_two_of_that_number(repository: Repository) -> None:
    _, second = work(repository)
    second.turn("Ask there").runs("cd ../blog && gh pr create --fill", result="https://github.com/ana/blog/pull/41\n")
    second.turn("Look").runs("gh pr view 41").turn("Look").runs("gh pr view 41 -R ana/shop")
    origin = repository.index(second).pull_requests.origin(41, repository.folder, "ana/shop")
    assert [turn for turn, _, named, *_ in told(origin) if named] == ["2:3", "2:6"]


@pytest.mark.parametrize("remote", ["", "git@github.com:ben/shop.git"])
def test_a_repository_with_another_remote_is_not_asked(repository: Repository, tmp_path: Path, remote: str) -> None:
    _, second = work(repository)
    index = repository.index(second)
    (repository.root / ".git").rename(repository.folder / "away")
    other = Repository(tmp_path / "other")
    other.git("init", "-q")
    if remote:
        other.git("remote", "add", "origin", remote)
    origin = index.pull_requests.origin(41, other.root)
    assert (origin.other_remote, origin.commits) == ("github.com/ben/shop" if remote else "", ())
    assert index.pull_requests.origin(41, tmp_path).other_remote is None
