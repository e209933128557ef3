"""The working directory of a chat of the editor, which its messages name only in passing.

The editor has a folder `workspaceStorage/<id>` for each folder that was opened in it: `workspace.json` has its address,
and the list of its chats is in a database of its own, since version 3 in the database with all chats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.cursor.file_names import DATABASE
from memtui_core.readers.conversion.file_uris import path_of
from memtui_core.readers.conversion.json_values import items, mapping, object_from, string
from memtui_core.readers.formats.beside import object_beside
from memtui_core.readers.formats.sqlite import columns_of, opened, stamp_of

_ITEMS: Final = "ItemTable"
_LISTS: Final = ("composer.composerData", "composer.composerHeaders")
_FILE_FIELDS: Final = ("fileSelections", "folderSelections", "selections")
_SOURCES: Final = frozenset({"app", "apps", "cmd", "docs", "lib", "packages", "scripts", "src", "test", "tests"})
"""Folders that lie within a project."""
_HOME_PARTS: Final = 3
"""The parts of a home folder: a project is below it."""


def folder_of(database: Path, chat: str, about: dict[str, Any], bubbles: Iterable[Any]) -> str:
    """The working directory of a chat: as the editor names it, or where the files of the chat are; empty if unknown.

    `about` is what the database says about the chat.
    """
    identifier = mapping(about.get("workspaceIdentifier"))
    bubbles = [bubble for bubble in bubbles if isinstance(bubble, dict)]
    own = (folder for bubble in bubbles if (folder := string(bubble.get("workspaceProjectDir"))))
    workspaces = _workspaces(database, stamp_of(database))
    return (
        path_of(identifier.get("uri"))
        or next(own, "")
        or workspaces.of_chats.get(chat)
        or workspaces.folders.get(string(identifier.get("id")) or "")
        or _around([path for one in (about, *bubbles) for path in _files_of(one)], workspaces.folders.values())
    )


class _Workspaces:
    """The folders that were opened in an editor, by the names of their workspaces and by the chats."""

    def __init__(self) -> None:
        self.folders: dict[str, str] = {}
        self.of_chats: dict[str, str] = {}


@lru_cache(maxsize=4)
def _workspaces(database: Path, _stamp: object) -> _Workspaces:
    known = _Workspaces()
    storage = database.parent.parent / "workspaceStorage"
    for about in sorted(storage.glob("*/workspace.json")):
        if folder := path_of(object_beside(about).get("folder")):
            known.folders[about.parent.name] = folder
            for chat in _chats_in(about.parent / DATABASE):
                known.of_chats[string(chat.get("composerId")) or ""] = folder
    for chat in _chats_in(database) if known.folders else ():
        identifier = mapping(chat.get("workspaceIdentifier"))
        folder = path_of(identifier.get("uri")) or known.folders.get(string(identifier.get("id")) or "", "")
        if folder:
            known.of_chats[string(chat.get("composerId")) or ""] = folder
    return known


def _chats_in(database: Path) -> Iterator[dict[str, Any]]:
    """The chats in the lists of a database."""
    if not database.is_file():
        return
    try:
        with opened(database) as connection:
            if not columns_of(connection, _ITEMS) >= {"key", "value"}:
                return
            sql = f"SELECT value FROM {_ITEMS} WHERE key IN (?, ?)"
            values = [row[0] for row in connection.execute(sql, _LISTS)]
    except SourceUnreadable:
        return
    for value in values:
        yield from map(mapping, items(object_from(value).get("allComposers")))


def _files_of(entry: dict[str, Any]) -> Iterator[str]:
    """The paths of the files that were given to the assistant, or that it wrote."""
    context = mapping(entry.get("context"))
    chosen = [one for field in _FILE_FIELDS for one in items(context.get(field))]
    blocks = items(entry.get("codeBlocks"))
    for one in (*chosen, *blocks):
        if path := path_of(mapping(one).get("uri")):
            yield path


def _around(files: list[str], folders: Iterable[str]) -> str:
    """The folder that most files are in: one that was opened, or else the one that contains all of them."""
    counts = {folder: sum(_is_in(file, folder) for file in files) for folder in folders}
    most = max(counts, key=lambda folder: (counts[folder], len(folder)), default="")
    if most and counts[most] * 2 > len(files):
        return most
    projects = [_project_of(file) for file in files]
    common = [parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, zip(*projects, strict=False))]
    return "/".join(common) if len(common) > _HOME_PARTS else ""


def _project_of(file: str) -> list[str]:
    """The parts of the folder that a file is in, up to the first one that lies within a project."""
    parts = file.replace("\\", "/").split("/")[:-1]
    within = (at for at in range(_HOME_PARTS + 1, len(parts)) if parts[at] in _SOURCES)
    return parts[: next(within, len(parts))]


def _is_in(file: str, folder: str) -> bool:
    return file == folder or file.startswith((folder.rstrip("/\\") + "/", folder.rstrip("/\\") + "\\"))
