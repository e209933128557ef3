"""Folders on other machines, as the index stores them: `@laptop:/home/me/shop`.

The mark keeps them apart from folders of this machine with the same path. A session of another machine has it in its
root, or in its worktree if its root was found to be a project of this machine.
"""

from __future__ import annotations

from typing import Final

from memtui_core.text.paths import normalize, worktree_of

HERE: Final = "here"
"""What this machine is called in queries."""
_MARK: Final = "@"
_END: Final = ":"
_MARKED: Final = "coalesce({0}.worktree, {0}.root)"
# The expression alone takes ten times as long for sessions of this machine.
MACHINE: Final = f"CASE WHEN starts_with({_MARKED}, '@') THEN regexp_extract({_MARKED}, '^@([^:/]+):', 1) ELSE '' END"
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


def shown_root(root: str, worktree: str | None, cwd: str) -> str:
    """The folder that is left out of the paths that a session wrote; with the mark of another machine."""
    machine = machine_of(root, worktree)
    own = own_folders(root, worktree)[0] or cwd
    return at_machine(machine, own) if machine else own


def folder_here(cwd: str, root: str, worktree: str | None) -> str:
    """The folder of this machine in which the work of a session can go on; empty if only another machine has it."""
    if not machine_of(root, worktree):
        return cwd
    return "" if machine_of(root) else root


def path_here(path: str, cwd: str, root: str, worktree: str) -> str | None:
    """Where a file of a session of another machine is in the same repository on this machine.

    `path` is as the agent wrote it or as the index has it. None if no project of this machine has the file.
    """
    if machine_of(root):
        return None
    own_root, own_worktree = own_folders(root, worktree)
    below = normalize(path, cwd, own_root, [own_worktree] if own_worktree else [])
    return f"{root}/{below}" if below is not None else None


def _split(folder: str) -> tuple[str, str]:
    """The machine and the folder."""
    if not folder.startswith(_MARK):
        return "", folder
    machine, end, own = folder[len(_MARK) :].partition(_END)
    return (machine, own) if end and machine and "/" not in machine else ("", folder)
