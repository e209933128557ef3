"""The project of the folder in which the user or an agent works.

A hook before a tool call asks for it, so this module imports next to nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from memtui_core.store.tables import RowSource
from memtui_core.system.projects import locate_project, repository_of
from memtui_core.text.characters import storable
from memtui_core.text.machine_folders import machine_of
from memtui_core.text.paths import clean, normalize


class CurrentProject(NamedTuple):
    """A folder and the project that it belongs to."""

    folder: str
    root: str
    worktrees: tuple[str, ...] = ()

    def relative(self, path: str) -> str | None:
        """A path as the index stores it; None if it is outside the project."""
        return normalize(path, self.folder, self.root, self.worktrees)

    @property
    def checkout(self) -> str:
        """The root, or the worktree, in which the folder is: the paths of the project begin there; empty if in none."""
        bases = [base for base in (self.root, *self.worktrees) if f"{self.folder}/".startswith(f"{base}/")]
        return max(bases, key=len, default="")


def project_at(
    source: RowSource | None, folder: str, folders: Collection[tuple[str, str, str | None]] | None = None
) -> CurrentProject | None:
    """The project that contains a folder, the innermost if there are several; None if no session was run in any.

    A repository is a project of its own, even inside the folder of another project. `folders` are root, folder and
    worktree of the sessions, if they were read before; without `source` there are no others.
    """
    current_folder = storable(clean(folder))
    if not current_folder:
        return None
    rows = folders or ()
    if folders is None and source is not None:
        rows = local_folders(source.rows("SELECT DISTINCT root, cwd, worktree FROM sessions WHERE NOT hidden"))
    # A worktree made since the last session is known by its repository.
    candidates = (f"{current_folder}/", f"{locate_project(current_folder).root}/")
    repository = f"{repository_of(current_folder) or ''}/"
    containing = []
    for root, cwd, tree in rows:
        for project_folder in filter(None, (root, cwd, tree)):
            prefix = f"{project_folder.rstrip('/')}/"
            is_outside_repository = prefix != repository and repository.startswith(prefix)
            if not is_outside_repository and any(candidate.startswith(prefix) for candidate in candidates):
                containing.append((len(project_folder), root))
    if not containing:
        return None
    _, root = max(containing)
    worktrees = {worktree for other, _, worktree in rows if other == root and worktree}
    return CurrentProject(current_folder, root, tuple(sorted(worktrees)))


def local_folders(rows: Iterable[tuple[str, str, str | None]]) -> set[tuple[str, str, str | None]]:
    """The folders of sessions on this machine, given root, folder and worktree of sessions of all machines."""
    return {
        row if not machine_of(row[0], row[2]) else (row[0], "", None)
        for row in rows
        if row[0] and not machine_of(row[0])
    }


def named_roots(source: RowSource) -> list[tuple[str, str]]:
    """The roots of the projects, each with the name that is stored; several projects may have the same name."""
    return [(root, name) for root, name in source.rows("SELECT DISTINCT root, project FROM sessions")]


def project_root(source: RowSource | None, folder: str) -> str:
    """The root of the project that contains a folder, as in sessions and observations."""
    project = project_at(source, folder) if source is not None else None
    return project.root if project else locate_project(folder).root
