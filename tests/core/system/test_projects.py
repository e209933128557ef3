from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.system.projects import ProjectLocation, locate_project, worktrees_of
from support.systems import HOME_VARIABLE


@pytest.mark.parametrize(
    ("cwd", "expected"),
    [
        ("/home/ana/code/site", ProjectLocation("site", "/home/ana/code/site", None)),
        ("/home/ana/code/site/", ProjectLocation("site", "/home/ana/code/site", None)),
        (
            "/home/ana/site/.claude/worktrees/w/src",
            ProjectLocation("site", "/home/ana/site", "/home/ana/site/.claude/worktrees/w"),
        ),
        (
            "/home/ana/site/.worktrees/streaming",
            ProjectLocation("site", "/home/ana/site", "/home/ana/site/.worktrees/streaming"),
        ),
        ("/home/ana/site/worktrees/w", ProjectLocation("site", "/home/ana/site", "/home/ana/site/worktrees/w")),
        (
            "/home/ana/worktrees/site/calm-sea/site/docs",
            ProjectLocation("site", "/home/ana/site", "/home/ana/worktrees/site/calm-sea/site"),
        ),
        (
            "/home/ana/site-worktrees/site-4te",
            ProjectLocation("site", "/home/ana/site", "/home/ana/site-worktrees/site-4te"),
        ),
        ("/home/ana/site-agent1", ProjectLocation("site-agent1", "/home/ana/site-agent1", None)),
        ("/home/ana/.worktrees/idea/src", ProjectLocation("idea", "/home/ana/.worktrees/idea", None)),
        ("C:\\Users\\ana\\site", ProjectLocation("site", "C:/Users/ana/site", None)),
        (
            "c:\\Users\\ana\\site\\.claude\\worktrees\\w",
            ProjectLocation("site", "C:/Users/ana/site", "C:/Users/ana/site/.claude/worktrees/w"),
        ),
        ("/", ProjectLocation("/", "/", None)),
        (
            "/home/ana/site/.coddy/worktrees/w/src",
            ProjectLocation("site", "/home/ana/site", "/home/ana/site/.coddy/worktrees/w"),
        ),
        ("/home/ana/.claude/worktrees/w", ProjectLocation("w", "/home/ana/.claude/worktrees/w", None)),
    ],
)
def test_folder_of_another_machine_by_its_shape(cwd: str, expected: ProjectLocation) -> None:
    assert locate_project(cwd) == expected


@pytest.mark.parametrize(
    ("below", "kept", "worktree"),
    [
        (".codex/worktrees/44be/site/docs", ".codex/worktrees/site", ".codex/worktrees/44be/site"),
        (".codex/worktrees/fast-search/site", ".codex/worktrees/site", ".codex/worktrees/fast-search/site"),
        (".herdr/worktrees/site/fast-search/docs", ".herdr/worktrees/site", ".herdr/worktrees/site/fast-search"),
        (".superset/worktrees/site/fast/search", ".superset/worktrees/site", ".superset/worktrees/site/fast"),
        (".cursor/worktrees/site/7MiVd", ".cursor/worktrees/site", ".cursor/worktrees/site/7MiVd"),
        (".cursor/worktrees/pr-12-0a1b2c3d/site", ".cursor/worktrees/site", ".cursor/worktrees/pr-12-0a1b2c3d/site"),
        (".claude-worktrees/site/calm-sea", ".claude-worktrees/site", ".claude-worktrees/site/calm-sea"),
        ("conductor/workspaces/site/tokyo", "conductor/workspaces/site", "conductor/workspaces/site/tokyo"),
    ],
)
@pytest.mark.parametrize("home", ["/home/ana", "/Users/ana", "C:/Users/ana"])
def test_worktrees_that_a_tool_keeps_in_the_home_folder(home: str, below: str, kept: str, worktree: str) -> None:
    expected = ProjectLocation("site", f"{home}/{kept}", f"{home}/{worktree}")
    assert locate_project(f"{home}/{below}") == expected


@pytest.mark.parametrize(
    ("cwd", "address", "expected"),
    [
        (
            "/home/ana/.herdr/worktrees/fast/site",
            "git@example.org:ana/site.git",
            ("site", "/home/ana/.herdr/worktrees/site", "/home/ana/.herdr/worktrees/fast/site"),
        ),
        (
            "/home/ana/.codex/worktrees/site/fast",
            "https://example.org/ana/site",
            ("site", "/home/ana/.codex/worktrees/site", "/home/ana/.codex/worktrees/site/fast"),
        ),
        ("/code/site/packages/app", "https://example.org/ana/site.git", ("site", "/code/site", None)),
        ("/code/other/packages/app", "https://example.org/ana/site.git", ("app", "/code/other/packages/app", None)),
        ("/code/site", "not an address", ("site", "/code/site", None)),
    ],
)
def test_the_address_of_the_repository_tells_its_folder(
    cwd: str, address: str, expected: tuple[str, str, str | None]
) -> None:
    assert locate_project(cwd, repository=address) == expected


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("-home-ana-code-site", "site"),
        ("C--Users-ana-site", "site"),
        ("my-project", "my-project"),
        ("", "no folder"),
        ("-", "no folder"),
    ],
)
def test_name_from_the_transcripts_folder_when_no_entry_says_more(folder: str, name: str) -> None:
    assert locate_project("", folder) == ProjectLocation(name, "", None)


def git(*arguments: str, at: Path) -> None:
    settings = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *settings, *arguments], cwd=at, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    (folder / "src").mkdir(parents=True)
    git("init", at=folder)
    git("commit", "--allow-empty", "-m", "Begin", at=folder)
    return folder


def test_repository_on_disk(repository: Path) -> None:
    expected = ProjectLocation("site", str(repository), None)
    assert locate_project(str(repository)) == expected
    assert locate_project(str(repository / "src")) == expected


def test_worktree_on_disk_wherever_it_lies(repository: Path, tmp_path: Path) -> None:
    beside, inside = tmp_path / "elsewhere", repository / "trees" / "one"
    git("worktree", "add", str(beside), "-b", "one", at=repository)
    git("worktree", "add", str(inside), "-b", "two", at=repository)
    (beside / "docs").mkdir()
    assert locate_project(str(beside / "docs")) == ProjectLocation("site", str(repository), str(beside))
    assert locate_project(str(inside)) == ProjectLocation("site", str(repository), str(inside))


def test_worktree_of_a_bare_repository(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    git("clone", "--bare", str(repository), str(tmp_path / "shop" / ".bare"), at=tmp_path)
    worktree = tmp_path / "shop" / "main"
    git("worktree", "add", str(worktree), "-b", "shop", at=tmp_path / "shop" / ".bare")
    assert locate_project(str(worktree)) == ProjectLocation("shop", str(tmp_path / "shop"), str(worktree))


def test_submodule_is_a_project_of_its_own(repository: Path, tmp_path: Path) -> None:
    inner = repository / "vendor" / "lib"
    inner.mkdir(parents=True)
    (inner / ".git").write_text("gitdir: ../../.git/modules/lib\n", "utf-8")
    assert locate_project(str(inner)) == ProjectLocation("lib", str(inner), None)


def test_folder_on_disk_that_git_does_not_know(tmp_path: Path) -> None:
    folder = tmp_path / "site" / ".worktrees" / "w"
    folder.mkdir(parents=True)
    assert locate_project(str(folder)) == ProjectLocation("site", str(tmp_path / "site"), str(folder))
    assert locate_project(str(tmp_path)) == ProjectLocation(tmp_path.name, str(tmp_path), None)


def test_home_under_git_is_no_project_of_what_lies_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    git("init", at=tmp_path)
    (tmp_path / "notes").mkdir()
    assert locate_project(str(tmp_path / "notes")) == ProjectLocation("notes", str(tmp_path / "notes"), None)


def test_worktrees_among_the_folders_of_a_session() -> None:
    cwds = ["/r", "/r/src", "/r/.claude/worktrees/w/src", "/r/.claude/worktrees/w", "/tmp", "/other/.worktrees/v"]
    assert worktrees_of(cwds, "/r") == ("/r/.claude/worktrees/w",)


@given(st.text(), st.text())
def test_any_folder_has_a_place(cwd: str, folder: str) -> None:
    place = locate_project(cwd, folder)
    assert place.worktree is None or place.worktree != place.root
    assert place.name or not place.root
