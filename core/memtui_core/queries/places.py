"""The roots of files outside the project of the session that touched them.

Such a file is stored under its absolute path. It belongs to the project or the repository that contains it, whichever
session touched it, and otherwise to the home folder, to the folder of temporary files, or to the root of the disk.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from memtui_core.queries.names import session_names
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.system.projects import ProjectLocation, locate_project, repository_of
from memtui_core.text.machine_folders import MACHINE, at_machine, folder_of, machine_of
from memtui_core.text.paths import home_of

HOME: Final = "~"
"""Stands for the name of the project of files in a home folder."""
_TEMPORARY: Final = ("/tmp", "/private/tmp", "/var/tmp")
_IS_ABSOLUTE: Final = "(starts_with({0}, '/') OR starts_with({0}, '~/') OR {0}[2:3] = ':/')"


class Place(NamedTuple):
    """Where a file outside the project of a session belongs."""

    root: str
    project: str
    """The name of the project in the index; of another root a name that no project has: `~`, `/tmp`, `/`."""
    path: str
    """Relative to the root of a project or repository; absolute for any other root."""


def placed_mentions(snapshot: Snapshot) -> tuple[str, list[Any]]:
    """SQL of the mentions with the place of each file, and its parameters.

    The columns are those of `file_mentions`, and the `root`, `project` and `below` (the path below it) of the file.
    """
    own = (
        "(SELECT m.*, {} AS root, {} AS project, {} AS below"
        " FROM file_mentions m JOIN sessions s ON s.key = m.session{})"
    )
    places = _places(snapshot)
    if not places:
        return own.format("s.root", "s.project", "m.path", ""), []
    columns = ("p.r[2]", "p.r[3]", "p.r[4]")
    merged = (f"coalesce({ours}, {own})" for ours, own in zip(columns, ("s.root", "s.project", "m.path"), strict=True))
    written = _written_path(snapshot)
    rows = f""" LEFT JOIN (SELECT unnest(from_json(?, '[["VARCHAR"]]')) AS r) p ON p.r[1] = {written}"""
    text = snapshot.cached("places as json", lambda: json.dumps([(path, *place) for path, place in places.items()]))
    return own.format(*merged, rows), [text]


def is_written(snapshot: Snapshot) -> str:
    """SQL of the condition, with a parameter, that a mention `m` in a session `s` has a path of `paths_at`."""
    return f"{_written_path(snapshot)} = ?"


def _written_path(snapshot: Snapshot) -> str:
    """SQL of the path of a mention `m` in a session `s`; an absolute one has the mark of the session's machine."""
    if not _has_machines(snapshot):
        return "m.path"
    is_marked = f"{MACHINE.format('s')} <> '' AND {_IS_ABSOLUTE.format('m.path')}"
    return f"CASE WHEN {is_marked} THEN '@' || {MACHINE.format('s')} || ':' || m.path ELSE m.path END"


def _has_machines(snapshot: Snapshot) -> bool:
    """Whether the index has sessions of other machines."""
    return snapshot.cached(
        "has machines", lambda: any(machine_of(name.root, name.worktree) for name in session_names(snapshot))
    )


def paths_at(snapshot: Snapshot, place: Place) -> Sequence[str]:
    """The absolute paths under which a file was touched by sessions of other projects."""

    def by_place() -> dict[Place, list[str]]:
        paths: dict[Place, list[str]] = {}
        for path, own in _places(snapshot).items():
            paths.setdefault(own, []).append(path)
        return paths

    return snapshot.cached("paths by place", by_place).get(place, ())


def _places(snapshot: Snapshot) -> dict[str, Place]:
    """The places of all files outside the projects of their sessions, by their paths."""
    return snapshot.cached("places", lambda: _find_places(snapshot))


def _find_places(snapshot: Snapshot) -> dict[str, Place]:
    written, tables = "path", "file_mentions"
    is_absolute = _IS_ABSOLUTE.format("path")
    # The names of sessions are read only if they are needed.
    if snapshot.rows(f"SELECT 1 FROM file_mentions WHERE {is_absolute} AND NOT is_dir LIMIT 1"):
        written, tables = _written_path(snapshot), "file_mentions m JOIN sessions s ON s.key = m.session"
    paths = snapshot.rows(f"SELECT DISTINCT {written} FROM {tables} WHERE {is_absolute} AND NOT is_dir ORDER BY 1")
    projects: dict[str, tuple[str, str]] = {}
    for session in session_names(snapshot) if paths else ():
        if folder_of(session.root) and not session.hidden:
            for folder in filter(None, (session.worktree, session.root)):
                projects.setdefault(folder, (session.root, session.project))
    return {path: place_of(path, projects) for (path,) in paths}


def place_of(path: str, projects: Mapping[str, tuple[str, str]]) -> Place:
    """The place of an absolute path; `projects` are the roots and names of projects by their roots and worktrees.

    The disk is not asked for a path that has the mark of another machine.
    """
    folder = path.rpartition("/")[0] or "/"
    base = next((parent for parent in _parents(folder) if parent in projects), "")
    root, name = projects.get(base, ("", ""))
    machine = machine_of(path)
    location = _repository(folder) if not machine else None
    nearest = (location.worktree or location.root) if location is not None else ""
    if location is not None and len(nearest) > len(base):
        base, (root, name) = nearest, projects.get(location.root, (location.root, location.name))
    if base:
        return Place(root, name, path[len(base.rstrip("/")) + 1 :])
    own = _outside_of_projects(folder_of(path))
    return Place(at_machine(machine, own.root), f"{machine}:{own.project}", own.path) if machine else own


def _outside_of_projects(path: str) -> Place:
    """The place of an absolute path in no project: the folder of temporary files, a home folder, or the disk."""
    for temporary in _TEMPORARY:
        if path.startswith(f"{temporary}/"):
            return Place(temporary, temporary, path)
    home = HOME if path.startswith("~/") else home_of(path)
    if home is not None:
        return Place(home, HOME, path)
    root = path[: path.index("/") + 1]
    return Place(root, root, path)


@lru_cache(maxsize=65_536)
def _repository(folder: str) -> ProjectLocation | None:
    """The repository or worktree that contains a folder; the disk is looked at once, whatever the snapshot."""
    location = locate_project(folder)
    return location if location.worktree or repository_of(folder) else None


def _parents(folder: str) -> Iterable[str]:
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
