"""The paths that agents give, as the index stores them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui_core.system import locations
from memtui_core.text.paths import is_absolute, query_path

if TYPE_CHECKING:
    from memtui_core.index.index import Index


def project_path(index: Index, path: str) -> str:
    """A path as the index stores it: relative to the current project, or to another project that contains it."""
    if not (is_absolute(path) or path.startswith(("./", "../", ".\\", "..\\"))):
        return path
    current = index.sessions.project_at(locations.current_folder())
    if current is not None and (relative := current.relative(path)):
        return relative
    roots = sorted((project.root for project in index.sessions.projects() if project.root), key=len, reverse=True)
    absolute = query_path(path)
    return next((absolute[len(root) + 1 :] for root in roots if absolute.startswith(f"{root}/")), path)
