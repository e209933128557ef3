"""Files of several projects as a tree of folders, and the lines of it that are unfolded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from memtui_core.queries.files import FileRow

Key = tuple[str, str, str]
"""Root and name of a project, and the path of a folder in it; the empty path is the project."""


@dataclass(slots=True)
class Folder:
    """A folder with what is in it, or a project."""

    key: Key
    name: str
    """Its path from the folder above: folders that hold one folder and nothing else stand in one line."""
    count: int = 0
    """Files in it, those of its folders too."""
    total: FileRow = field(init=False)
    """The sums of its files' counts, the most sessions of a file, the first touch and the last."""
    folders: list[Folder] = field(default_factory=list)
    files: list[FileRow] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the tree."""

    depth: int
    row: FileRow
    """A file, or the total of a folder."""
    folder: Folder | None = None


def folded(files: Sequence[FileRow]) -> list[Folder]:
    """A folder for each project."""
    projects: dict[tuple[str, str], dict[str, Any]] = {}
    for row in files:
        place = projects.setdefault((row.root, row.project), {})
        *folders, name = row.path.split("/")
        for folder in folders:
            # A folder's name ends with a slash: a session may know a file by a name that is a folder in another.
            place = place.setdefault(f"{folder}/", {})
        place[name] = row
    return [_folder((root, project, ""), project, inside) for (root, project), inside in projects.items()]


def lines(
    folders: Sequence[Folder], order: Callable[[FileRow], Any], unfolded: Collection[Key], depth: int = 0
) -> Iterator[Line]:
    """The lines from the top down: folders before files, each in an order, inside the folders that are unfolded."""
    for folder in sorted(folders, key=lambda one: order(one.total)):
        yield Line(depth, folder.total, folder)
        if folder.key in unfolded:
            yield from lines(folder.folders, order, unfolded, depth + 1)
            yield from (Line(depth + 1, row) for row in sorted(folder.files, key=order))


def holding(folders: Sequence[Folder], key: Key) -> Iterator[Key]:
    """The folders that a file is in, its project first."""
    root, project, path = key
    for folder in folders:
        if folder.key[:2] == (root, project) and path.startswith(folder.key[2]):
            yield folder.key
            yield from holding(folder.folders, key)


def _folder(key: Key, name: str, inside: dict[str, Any]) -> Folder:
    root, project, path = key
    while path and len(inside) == 1 and (only := next(iter(inside))).endswith("/"):
        name, path, inside = name + only, path + only, inside[only]
    made = Folder((root, project, path), name)
    for part, content in inside.items():
        if isinstance(content, dict):
            made.folders.append(_folder((root, project, path + part), part, content))
        else:
            made.files.append(content)
    rows = [folder.total for folder in made.folders] + made.files
    made.count = len(made.files) + sum(folder.count for folder in made.folders)
    made.total = FileRow(
        path,
        project,
        root,
        edited=sum(row.edited for row in rows),
        read=sum(row.read for row in rows),
        mentioned=sum(row.mentioned for row in rows),
        sessions=max(row.sessions for row in rows),
        first=min((row.first for row in rows if row.first), default=None),
        last=max((row.last for row in rows if row.last), default=None),
    )
    return made
