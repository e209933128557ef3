"""Folders on other machines as the index stores them."""

from __future__ import annotations

import pytest

from memtui_core.text.machine_folders import (
    at_machine,
    folder_here,
    folder_of,
    machine_of,
    own_folders,
    path_here,
    shown_root,
)
from memtui_core.text.names import shown_names

HERE, THERE, TREE = "/work/shop", "/home/me/shop", "/home/me/shop/.worktrees/x"


@pytest.mark.parametrize(
    ("root", "worktree", "machine", "own"),
    [
        (HERE, None, "", (HERE, None)),
        (HERE, f"{HERE}/.worktrees/x", "", (HERE, f"{HERE}/.worktrees/x")),
        (f"@laptop:{THERE}", None, "laptop", (THERE, None)),
        (f"@laptop:{THERE}", f"@laptop:{TREE}", "laptop", (THERE, TREE)),
        (HERE, f"@laptop:{THERE}", "laptop", (THERE, None)),
        (HERE, f"@laptop:{TREE}", "laptop", (THERE, TREE)),
        ("@desk:/srv/shop", f"@laptop:{THERE}", "laptop", (THERE, None)),
        ("@laptop:", None, "laptop", ("", None)),
        ("@c:C:/Users/me/shop", None, "c", ("C:/Users/me/shop", None)),
        ("", None, "", ("", None)),
        ("C:/Users/me", None, "", ("C:/Users/me", None)),
        ("@scope/name:x", None, "", ("@scope/name:x", None)),
        ("@scope", None, "", ("@scope", None)),
    ],
)
def test_the_machine_of_a_session_and_its_folders_there(
    root: str, worktree: str | None, machine: str, own: tuple[str, str | None]
) -> None:
    assert (machine_of(root, worktree), own_folders(root, worktree)) == (machine, own)


def test_a_folder_is_marked_and_unmarked() -> None:
    for machine in ("", "laptop", "a.b-c_d"):
        marked = at_machine(machine, THERE)
        assert (machine_of(marked), folder_of(marked)) == (machine, THERE)


@pytest.mark.parametrize(
    ("path", "worktree", "found"),
    [
        (f"{THERE}/src/a.py", THERE, f"{HERE}/src/a.py"),
        ("src/a.py", THERE, f"{HERE}/src/a.py"),
        (f"{TREE}/src/a.py", TREE, f"{HERE}/src/a.py"),
        (f"{THERE}/src/a.py", TREE, f"{HERE}/src/a.py"),
        (f"{HERE}/src/a.py", THERE, None),
        ("/etc/hosts", THERE, None),
        ("../other/a.py", THERE, None),
    ],
)
def test_a_file_is_here_only_below_the_repository(path: str, worktree: str, found: str | None) -> None:
    assert path_here(path, THERE, HERE, f"@laptop:{worktree}") == found
    assert path_here(path, THERE, f"@laptop:{THERE}", "") is None


def test_where_work_goes_on_and_what_is_left_out_of_paths() -> None:
    sessions = [(HERE, None), (HERE, f"@laptop:{THERE}"), (f"@laptop:{THERE}", None), ("", None)]
    assert [folder_here("/cwd", *one) for one in sessions] == ["/cwd", HERE, "", "/cwd"]
    assert [shown_root(*one, "/cwd") for one in sessions] == [HERE, f"@laptop:{THERE}", f"@laptop:{THERE}", "/cwd"]


def test_projects_of_one_name_are_told_apart_by_their_machines() -> None:
    """By their folders only where a machine has several."""
    projects = [
        ("/a/shop", "shop"),
        ("@laptop:/a/shop", "shop"),
        ("@laptop:/b/shop", "shop"),
        ("@desk:/a/blog", "blog"),
    ]
    assert {root: str(name) for (root, _), name in shown_names(projects).items()} == {
        "/a/shop": "shop",
        "@laptop:/a/shop": "shop · laptop:a",
        "@laptop:/b/shop": "shop · laptop:b",
        "@desk:/a/blog": "blog",
    }
