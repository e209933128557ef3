"""The project of a folder, as far as sessions were run there."""

from __future__ import annotations

from dataclasses import dataclass

from memtui_core.store.reader import Snapshot
from memtui_core.system.projects import locate_project, repository_of
from memtui_core.text.paths import clean, normalize


@dataclass(frozen=True, slots=True)
class Here:
    """A folder and the project that it belongs to."""

    folder: str
    root: str
    worktrees: tuple[str, ...] = ()

    def relative(self, path: str) -> str | None:
        """A path as the index stores it; None for one outside the project."""
        return normalize(path, self.folder, self.root, self.worktrees)


def project_at(snapshot: Snapshot, folder: str) -> Here | None:
    """The project that a folder is in: of several, that of the deepest folder. None when no session was run there.

    A repository is a project of its own, whatever was done in the folders that it lies in.
    """
    asked = clean(folder)
    if not asked:
        return None
    rows = snapshot.rows("SELECT DISTINCT root, cwd, worktree FROM sessions WHERE root <> '' AND NOT hidden")
    # A worktree made since then is known by its repository.
    folders = (f"{asked}/", f"{locate_project(asked).root}/")
    repository = f"{repository_of(asked) or ''}/"
    found = []
    for root, *bases in rows:
        for base in filter(None, (root, *bases)):
            within = f"{base.rstrip('/')}/"
            above = within != repository and repository.startswith(within)
            if not above and any(one.startswith(within) for one in folders):
                found.append((len(base), root))
    if not found:
        return None
    _, root = max(found)
    worktrees = {worktree for other, _, worktree in rows if other == root and worktree}
    return Here(asked, root, tuple(sorted(worktrees)))
