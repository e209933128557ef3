"""Sessions in worktrees that tools keep in the home folder belong to the project of their repository."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.exclusions import Exclusions
from memtui_core.readers.locations import Location
from memtui_core.store.tables import COLUMNS
from memtui_core.text.controls import stored
from support.indexes import build, update
from support.rollouts import CHILD, OTHER, THREAD, Rollout

HOME = "/home/ana"
REPOSITORY = f"{HOME}/code/shop"
WORKTREE = f"{HOME}/.codex/worktrees/44be/shop"


def rollout(thread: str, cwd: str, **git: str) -> Rollout:
    made = Rollout(thread, cwd=cwd, git=git)
    made.user("Change the cart")
    call = made.call("exec_command", {"cmd": "sed -i s/a/b/ src/cart.py", "workdir": f"{cwd}/web"})
    made.output(call, "Process exited with code 0\nOutput:\n")
    made.answer("Done.")
    return made


def places(index: Index) -> list[tuple[str, str, str, str | None, list[str]]]:
    """Session, project, root, worktree and files of each session."""
    sessions = sorted(index.sessions.all(), key=lambda session: session.session_id)
    return [
        (session.session_id, session.project, session.root, session.worktree, _files(index, session.key))
        for session in sessions
    ]


def _files(index: Index, session: int) -> list[str]:
    return [touch.path for touch in index.files.of_turn(session, 1)]


@pytest.mark.parametrize("repository_first", [True, False])
def test_a_worktree_of_codex_joins_its_repository(repository_first: bool, tmp_path: Path) -> None:
    """In any order, with the next update; the worktree stays as a label."""
    home, data = tmp_path / "codex", tmp_path / "data"
    rollouts = [rollout(THREAD, REPOSITORY), rollout(OTHER, WORKTREE)]
    for one in rollouts if repository_first else rollouts[::-1]:
        one.write(home)
        index = build(data, home, agent="codex")
    assert places(index) == [
        (THREAD, "shop", REPOSITORY, None, ["web/src/cart.py"]),
        (OTHER, "shop", REPOSITORY, WORKTREE, ["web/src/cart.py"]),
    ]
    assert [(row.path, row.sessions) for row in index.files.find().rows] == [("web/src/cart.py", 2)]


@pytest.mark.parametrize(
    ("other", "root"),
    [
        ("/home/ben/code/shop", f"{HOME}/.codex/worktrees/shop"),
        (f"{HOME}/code/blog", f"{HOME}/.codex/worktrees/shop"),
        (f"{HOME}/.herdr/worktrees/shop/fast", f"{HOME}/.codex/worktrees/shop"),
    ],
)
def test_only_a_repository_of_its_name_in_the_same_home_is_joined(other: str, root: str, tmp_path: Path) -> None:
    """Without one, the worktrees of several tools are one project."""
    rollout(THREAD, other).write(tmp_path / "codex")
    rollout(OTHER, WORKTREE).write(tmp_path / "codex")
    index = build(tmp_path / "data", tmp_path / "codex", agent="codex")
    by_id = {session.session_id: session for session in index.sessions.all()}
    moved = by_id[OTHER]
    assert (stored(moved.project), moved.root, moved.worktree) == ("shop", root, WORKTREE)
    assert (by_id[THREAD].root == root) == other.startswith(f"{HOME}/.herdr")


def test_of_two_repositories_of_its_name_none_is_joined(tmp_path: Path) -> None:
    for thread, cwd in ((THREAD, REPOSITORY), (CHILD, f"{HOME}/old/shop"), (OTHER, WORKTREE)):
        rollout(thread, cwd).write(tmp_path / "codex")
    index = build(tmp_path / "data", tmp_path / "codex", agent="codex")
    assert {session.root for session in index.sessions.all()} == {
        REPOSITORY,
        f"{HOME}/old/shop",
        f"{HOME}/.codex/worktrees/shop",
    }


def test_the_name_of_a_known_repository_decides_which_of_two_folders_is_it(tmp_path: Path) -> None:
    rollout(THREAD, REPOSITORY).write(tmp_path / "codex")
    rollout(OTHER, f"{HOME}/.herdr/worktrees/fast/shop").write(tmp_path / "codex")
    index = build(tmp_path / "data", tmp_path / "codex", agent="codex")
    assert {(session.project, session.root) for session in index.sessions.all()} == {("shop", REPOSITORY)}


@pytest.mark.parametrize("tool", [".cursor/worktrees", "conductor/workspaces", ".superset/worktrees"])
def test_a_worktree_that_is_called_like_another_repository_does_not_join_it(tool: str, tmp_path: Path) -> None:
    rollout(THREAD, REPOSITORY).write(tmp_path / "codex")
    rollout(OTHER, f"{HOME}/{tool}/web/shop").write(tmp_path / "codex")
    index = build(tmp_path / "data", tmp_path / "codex", agent="codex")
    assert {(session.project, session.root) for session in index.sessions.all()} == {
        ("shop", REPOSITORY),
        ("web", f"{HOME}/{tool}/web"),
    }


def test_a_worktree_stays_with_the_repository_that_it_joined(tmp_path: Path) -> None:
    """Also when there is another repository of its name later, and another session in the worktree."""
    home, data = tmp_path / "codex", tmp_path / "data"
    for thread, cwd in ((THREAD, REPOSITORY), (OTHER, WORKTREE)):
        rollout(thread, cwd).write(home)
    build(data, home, agent="codex")
    for thread, cwd in ((CHILD, f"{HOME}/old/shop"), (CHILD[:-1] + "4", WORKTREE)):
        rollout(thread, cwd).write(home)
    index = build(data, home, agent="codex")
    in_worktree = [session.root for session in index.sessions.all() if session.worktree == WORKTREE]
    assert in_worktree == [REPOSITORY, REPOSITORY]


def test_excluding_the_folder_of_a_repository_forgets_what_is_left_out_when_it_is_read(tmp_path: Path) -> None:
    home, data = tmp_path / "codex", tmp_path / "data"
    for thread, cwd in ((THREAD, REPOSITORY), (OTHER, WORKTREE)):
        rollout(thread, cwd).write(home)
    build(data, home, agent="codex")
    with Indexer(data, exclusions=Exclusions((REPOSITORY,))) as indexer:
        indexer.stored.remove(indexer.stored.excluded().keys)
        for _ in indexer.update([Location("codex", home)]):
            pass
        assert indexer.counts.turns_written == 0
    assert [session.session_id for session in Index.open(data).sessions.all()] == [OTHER]


def test_a_project_with_a_dot_stays_when_its_folder_is_gone(tmp_path: Path) -> None:
    rollout(THREAD, f"{HOME}/.dotfiles/vim").write(tmp_path / "codex")
    data = tmp_path / "data"
    build(data, tmp_path / "codex", agent="codex")
    with Indexer(data) as indexer:
        indexer.work.begin_batch()
        with indexer.work.transaction():
            change(indexer, "sessions", lambda row: {"project": ".dotfiles", "root": f"{HOME}/.dotfiles"})
        indexer.publish()
    assert update(data, tmp_path / "codex", agent="codex").snapshots == 0
    assert [session.root for session in Index.open(data).sessions.all()] == [f"{HOME}/.dotfiles"]


def test_the_address_of_the_repository_is_read(tmp_path: Path) -> None:
    git = {"repository_url": "https://example.org/ana/shop.git", "branch": "fast"}
    rollout(THREAD, f"{REPOSITORY}/web", **git).write(tmp_path / "codex")
    index = build(tmp_path / "data", tmp_path / "codex", agent="codex")
    assert places(index) == [(THREAD, "shop", REPOSITORY, None, ["web/web/src/cart.py"])]


def test_sessions_that_an_older_index_has_in_the_project_of_a_tool_are_moved(tmp_path: Path) -> None:
    home, data = tmp_path / "codex", tmp_path / "data"
    rollout(OTHER, WORKTREE).write(home)
    before = places(build(data, home, agent="codex"))
    with Indexer(data) as indexer:
        indexer.work.begin_batch()
        with indexer.work.transaction():
            change(indexer, "sessions", lambda row: {"project": ".codex", "root": f"{HOME}/.codex"})
            change(indexer, "file_mentions", lambda row: {"path": f"shop/{row['path']}"})
        indexer.publish()
    assert before == [(OTHER, "shop", f"{HOME}/.codex/worktrees/shop", WORKTREE, ["web/src/cart.py"])]
    assert places(Index.open(data)) == [(OTHER, ".codex", f"{HOME}/.codex", WORKTREE, ["shop/web/src/cart.py"])]
    assert update(data, home, agent="codex").files_read == 0
    index = Index.open(data)
    assert places(index) == before
    assert [hit.path for hit in index.search("file:web/src/cart.py").hits] == ["web/src/cart.py"]
    assert update(data, home, agent="codex").snapshots == 0


def change(indexer: Indexer, table: str, changes: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Change the rows of a table with one key."""
    rows = [dict(zip(COLUMNS[table], row, strict=True)) for row in indexer.work.rows(table, "TRUE", [])]
    indexer.work.drop(table, [1])
    indexer.work.put(table, [tuple((row | changes(row)).values()) for row in rows])
