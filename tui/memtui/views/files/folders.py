"""The files of several projects as a tree of folders, and its visible lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from memtui_core.index.files import FileRow
from memtui_core.text.controls import stored
from memtui_core.text.machine_folders import machine_of
from memtui_core.text.paths import is_absolute

FolderKey = tuple[str, str, str]
"""Root and name of a project, and the path of a file or folder in it; the path is empty for the project itself."""


@dataclass(slots=True)
class Folder:
    """A folder or a project, with its content."""

    key: FolderKey
    name: str
    """Path below the parent folder; a folder that contains only one folder is shown on one line with it."""
    count: int = 0
    """How many files are in it and in its folders."""
    total: FileRow = field(init=False)
    """Sums of the counts of its files, the highest number of sessions, the first touch and the last."""
    folders: list[Folder] = field(default_factory=list)
    files: list[FileRow] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TreeLine:
    """A line of the tree: a folder or a file."""

    depth: int
    row: FileRow
    """The row of the file, or the total of the folder."""
    folder: Folder | None = None


def file_key(row: FileRow) -> FolderKey:
    """Identifies a file, also when its project is shown by another name."""
    # The path of a file outside of any project begins with the name of its root.
    name = row.project.removeprefix(f"{machine_of(row.root)}:").rstrip("/")
    below = row.path.removeprefix(f"{name}/") if is_absolute(row.path) else row.path
    return row.root, stored(row.project), below


def folder_tree(files: Sequence[FileRow]) -> list[Folder]:
    """Return a folder for each project."""
    projects: dict[tuple[str, str], dict[str, Any]] = {}
    names: dict[tuple[str, str], str] = {}
    for row in files:
        root, project, path = file_key(row)
        key = (root, project)
        names[key] = row.project
        content = projects.setdefault(key, {})
        *folders, name = path.split("/")
        for folder in folders:
            # The slash tells a folder from a file: a path can be a file in one session and a folder in another.
            content = content.setdefault(f"{folder}/", {})
        content[name] = row
    return [_folder((*key, ""), names[key], content) for key, content in projects.items()]


def unfolded_lines(
    folders: Sequence[Folder],
    ordered: Callable[[Iterable[TreeLine]], list[TreeLine]],
    unfolded: Collection[FolderKey],
    depth: int = 0,
) -> Iterator[TreeLine]:
    """The visible lines from the top down: folders before files, both sorted by `ordered`."""
    for line in ordered(TreeLine(depth, folder.total, folder) for folder in folders):
        yield line
        if line.folder is not None and line.folder.key in unfolded:
            yield from unfolded_lines(line.folder.folders, ordered, unfolded, depth + 1)
            yield from ordered(TreeLine(depth + 1, row) for row in line.folder.files)


def folders_of(folders: Sequence[Folder], key: FolderKey) -> Iterator[FolderKey]:
    """The keys of the folders that contain a file, its project first."""
    root, project, path = key
    for folder in folders:
        if folder.key[:2] == (root, project) and path.startswith(folder.key[2]):
            yield folder.key
            yield from folders_of(folder.folders, key)


def _folder(key: FolderKey, name: str, content: dict[str, Any]) -> Folder:
    root, project, path = key
    while path and len(content) == 1 and (only := next(iter(content))).endswith("/"):
        name, path, content = name + only, path + only, content[only]
    result = Folder((root, project, path), name)
    for child_name, child in content.items():
        if isinstance(child, dict):
            result.folders.append(_folder((root, project, path + child_name), child_name, child))
        else:
            result.files.append(child)
    rows = [folder.total for folder in result.folders] + result.files
    result.count = len(result.files) + sum(folder.count for folder in result.folders)
    result.total = FileRow(
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
    return result
