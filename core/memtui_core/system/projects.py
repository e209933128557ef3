"""Which project a session belongs to, from the folder that it worked in.

Worktrees are folded into their repository: what a person did in three worktrees is one project. A folder that exists
on this machine is asked for its `.git`; any other, as the transcript may come from elsewhere, is judged by its shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memtui_core.text.paths import clean, worktree_of

_GITDIR = re.compile(r"gitdir: *(.+)")
_ENCODED = re.compile(r"(?:-|[A-Za-z]--)")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a session belongs."""

    name: str
    """The last folder of `root`; a guess from the transcript's folder when nothing says the root."""
    root: str
    """The project's folder, with forward slashes; empty when no entry of the session names one."""
    worktree: str | None
    """The folder of the worktree that the session worked in; None in the repository itself."""


@lru_cache(maxsize=4096)
def locate(cwd: str, folder: str = "") -> Place:
    """The project of a session that worked in `cwd`; `folder` names the transcript's folder, as agents encode it.

    Unknown folders never raise: a `cwd` of which nothing more can be said is its own root.
    """
    here = clean(cwd)
    if not here:
        return Place(_decoded(folder), "", None)
    root, worktree = _on_disk(here) or worktree_of(here) or (here, here)
    return Place(root.rpartition("/")[2] or root, root, worktree if worktree != root else None)


def repository_of(folder: str) -> str | None:
    """The repository that holds an existing folder; None when git does not know it."""
    found = _on_disk(clean(folder))
    return found[0] if found is not None else None


def worktrees_of(cwds: Iterable[str], root: str) -> tuple[str, ...]:
    """Those of the folders that a session visited that lie in worktrees of a root, as the worktrees' own folders."""
    places = [locate(cwd) for cwd in cwds]
    return tuple(dict.fromkeys(place.worktree for place in places if place.worktree and place.root == root))


def _on_disk(here: str) -> tuple[str, str] | None:
    """The repository and the work tree that hold an existing folder; None when git does not know it."""
    folder = Path(here)
    try:
        if not folder.is_absolute() or not folder.is_dir():
            return None
        home = Path.home()
        for parent in (folder, *folder.parents):
            # Settings kept under git in a home folder do not make one project of all that lies there.
            if parent != folder and parent == home:
                return None
            mark = parent / ".git"
            if mark.is_dir():
                return parent.as_posix(), parent.as_posix()
            if mark.is_file():
                return _repository(parent, mark.read_text("utf-8", "replace")), parent.as_posix()
    except (OSError, RuntimeError, ValueError):
        return None
    return None


def _repository(worktree: Path, mark: str) -> str:
    """The folder of the repository that a worktree's `.git` file leads to; a submodule is its own."""
    match = _GITDIR.match(mark)
    if match is None:
        return worktree.as_posix()
    store, found, _ = clean((worktree / match[1].strip()).as_posix()).rpartition("/worktrees/")
    if not found:
        return worktree.as_posix()
    parent, _, name = store.rpartition("/")
    return parent if name.startswith(".") else store.removesuffix(".git")


def _decoded(folder: str) -> str:
    """The last part of an encoded folder, `-home-ana-code-site`: where a hyphen was in a name cannot be told."""
    return folder.rstrip("-").rpartition("-")[2] if _ENCODED.match(folder) else folder
