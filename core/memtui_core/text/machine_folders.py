"""Folders on other machines, as the index stores them: `@laptop:/home/me/shop`.

The mark keeps them apart from folders of this machine with the same path. A session of another machine has it in its
root, or in its worktree if its root was found to be a project of this machine.
"""

from __future__ import annotations

from typing import Final

from memtui_core.text.paths import worktree_of

HERE: Final = "here"
"""What this machine is called in queries."""
_MARK: Final = "@"
_END: Final = ":"
MACHINE: Final = "regexp_extract(coalesce({0}.worktree, {0}.root), '^@([^:/]+):', 1)"
"""SQL for the machine of a session in a table `{0}`; empty for this machine."""


def at_machine(machine: str, folder: str) -> str:
    """A folder of a machine; of this machine, which has no name, the folder itself."""
    return f"{_MARK}{machine}{_END}{folder}" if machine else folder


def machine_of(root: str, worktree: str | None = None) -> str:
    """The machine of a session with this root and worktree; empty for this machine."""
    return _split(worktree or root)[0]


def folder_of(folder: str) -> str:
    """A folder without its machine."""
    return _split(folder)[1]


def own_folders(root: str, worktree: str | None) -> tuple[str, str | None]:
    """The root and the worktree of a session as it knew them on its machine: the folders in the paths that it wrote."""
    machine, folder = _split(worktree or "")
    if not machine:
        return folder_of(root), worktree
    at, own_root = _split(root)
    if at == machine:
        return own_root, folder
    # The root is that of the same repository on another machine.
    repository = worktree_of(folder)
    return (folder, None) if repository is None else (repository[0], folder)


def _split(folder: str) -> tuple[str, str]:
    """The machine and the folder."""
    if not folder.startswith(_MARK):
        return "", folder
    machine, end, own = folder[len(_MARK) :].partition(_END)
    return (machine, own) if end and machine and "/" not in machine else ("", folder)
