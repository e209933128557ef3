"""Find the project of a session, given its working directory.

Worktrees belong to the project of their repository. For a folder that exists on this machine, `.git` is read; any other
folder, because the transcript may come from another machine, is recognized by its path. Two folders are the same
repository if their remotes are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from memtui_core.text.characters import on_disk, storable
from memtui_core.text.machine_folders import at_machine, folder_of
from memtui_core.text.paths import clean, worktree_of

_GITDIR = re.compile(r"gitdir: *(.+)")
_ADDRESS = re.compile(r"\S*[/:]([^/:\s]+?)(?:\.git)?/?")
_REMOTE_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://(?:[^@/]*@)?(?P<host>[^/:]+)(?::\d+)?/(?P<path>.+)"
    r"|(?:[^@/:]+@)?(?P<short_host>[^/:]{2,}):(?P<short_path>(?!//).+))",
    re.IGNORECASE,
)
_REMOTE = re.compile(r'\s*\[\s*remote\s+"([^"]*)"\s*\]', re.IGNORECASE)
_URL = re.compile(r"\s*url\s*=\s*(.+)", re.IGNORECASE)
_ENCODED = re.compile(r"(?:-|[A-Za-z]--)")

NO_FOLDER: Final = "no folder"
"""The project of sessions of which nothing tells where they worked."""


class ProjectLocation(NamedTuple):
    """The project of a session, and the worktree in which it worked."""

    name: str
    """The last folder of `root`; if there is no root, a guess from the transcript's folder, or `NO_FOLDER`."""
    root: str
    """The folder of the project, with forward slashes; empty if the session has no working directory."""
    worktree: str | None
    """The folder of the worktree; None in the repository itself."""


@lru_cache(maxsize=4096)
def locate_project(cwd: str, folder: str = "", repository: str = "", machine: str = "") -> ProjectLocation:
    """The project of a session that worked in `cwd`; `folder` is the name of the transcript's folder.

    Agents encode the path of the project in that name. `repository` is the address of the repository, if the agent
    wrote it: a folder of that name is the root. Never raises: an unknown `cwd` is its own root. With the name of
    another `machine` the disk is not looked at, and the folders are marked as those of the machine.
    """
    current = storable(clean(cwd))
    if not current:
        return ProjectLocation(storable(_decoded(folder)) or NO_FOLDER, at_machine(machine, ""), None)
    name = repository_name(repository)
    repository_folders = None if machine else _repository_at(current)
    root, worktree = (
        repository_folders or worktree_of(current, name) or _folder_named(name, current) or (current, current)
    )
    return ProjectLocation(
        root.rpartition("/")[2] or root,
        at_machine(machine, root),
        at_machine(machine, worktree) if worktree != root else None,
    )


def repository_of(folder: str) -> str | None:
    """The repository that contains an existing folder; None if there is none."""
    folders = _repository_at(storable(clean(folder)))
    return folders[0] if folders is not None else None


def worktrees_of(cwds: Iterable[str], root: str, machine: str = "") -> tuple[str, ...]:
    """The worktrees of a root that contain any of the working directories of a session, which ran on a machine."""
    locations = [locate_project(cwd, machine=machine) for cwd in cwds]
    marked = at_machine(machine, root)
    return tuple(
        dict.fromkeys(
            folder_of(location.worktree) for location in locations if location.worktree and location.root == marked
        )
    )


def remote_address(root: str) -> str:
    """The address of the remote of a repository on this machine, `origin` before others; empty if there is none.

    Read from `.git/config`, or from the configuration to which the `.git` file of a worktree or a submodule leads.
    """
    git = Path(on_disk(root), ".git")
    try:
        if git.is_file() and (match := _GITDIR.match(git.read_text("utf-8", "replace"))) is not None:
            git = Path(on_disk(root), match[1].strip())
            if (git / "commondir").is_file():
                git = git / (git / "commondir").read_text("utf-8", "replace").strip()
        # Opening a FIFO would block.
        config = (git / "config").read_text("utf-8", "replace") if (git / "config").is_file() else ""
    except (OSError, ValueError):
        return ""
    remotes: dict[str, str] = {}
    name: str | None = None
    for line in config.splitlines():
        if line.lstrip().startswith("["):
            section = _REMOTE.match(line)
            name = section[1] if section is not None else None
        elif name is not None and (url := _URL.match(line)) is not None:
            remotes.setdefault(name, url[1].strip().strip('"'))
    return remotes.get("origin") or next(iter(remotes.values()), "")


def repository_key(address: str) -> str:
    """The address of a repository without what may differ for the same one: scheme, user, port, `.git`, case of host.

    `git@Example.org:ana/shop.git` and `https://example.org/ana/shop` are `example.org/ana/shop`. Empty for no address,
    and for a folder, which may be another repository on each machine.
    """
    match = _REMOTE_ADDRESS.fullmatch(address.strip())
    if match is None:
        return ""
    host, path = match["host"] or match["short_host"], match["path"] or match["short_path"]
    return f"{host.lower()}/{path.strip('/').removesuffix('.git').rstrip('/')}"


def repository_name(address: str) -> str:
    """The last part of the address of a repository: `git@example.org:ana/shop.git` is `shop`."""
    match = _ADDRESS.fullmatch(address)
    return match[1] if match is not None else ""


def _folder_named(name: str, path: str) -> tuple[str, str] | None:
    """The innermost folder of a path that has a name, twice."""
    root, separator, _ = f"{path}/".rpartition(f"/{name}/")
    return (f"{root}/{name}", f"{root}/{name}") if name and separator else None


def _repository_at(path: str) -> tuple[str, str] | None:
    """The repository and the worktree that contain an existing folder; None if there is none."""
    folder = Path(on_disk(path))
    try:
        if not folder.is_absolute() or not folder.is_dir():
            return None
        home = Path.home()
        for parent in (folder, *folder.parents):
            # A home folder with settings under version control is not a project with everything in it.
            if parent != folder and parent == home:
                return None
            git = parent / ".git"
            if git.is_dir():
                return storable(parent.as_posix()), storable(parent.as_posix())
            if git.is_file():
                repository = _repository(parent, git.read_text("utf-8", "replace"))
                return storable(repository), storable(parent.as_posix())
    except (OSError, RuntimeError, ValueError):
        return None
    return None


def _repository(worktree: Path, git_file: str) -> str:
    """The folder of the repository in the text of a worktree's `.git` file; for a submodule its own folder."""
    match = _GITDIR.match(git_file)
    if match is None:
        return worktree.as_posix()
    git_folder, separator, _ = clean((worktree / match[1].strip()).as_posix()).rpartition("/worktrees/")
    if not separator:
        return worktree.as_posix()
    parent, _, name = git_folder.rpartition("/")
    return parent if name.startswith(".") else git_folder.removesuffix(".git")


def _decoded(folder: str) -> str:
    """The last part of an encoded folder, `-home-ana-code-site`. Hyphens in names cannot be told from separators."""
    return folder.rstrip("-").rpartition("-")[2] if _ENCODED.match(folder) else folder
