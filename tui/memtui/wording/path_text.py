"""Paths in little room: shortened in the middle, and told apart from others of the same name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise, takewhile

from rich.cells import cell_len

from memtui.wording.formatting import cut, head, tail

_HOME = re.compile(r"(?:/home/[^/]+|/Users/[^/]+|/root)(?=/)")
_MIN_FOLDER = 4
"""The fewest cells of a folder that is cut."""


def middle_cut(path: str, width: int, kept_folder: int | None = None) -> str:
    """Shorten a path to `width` cells: folders in its middle are left out, then the middle of the file name.

    `kept_folder` is the index of a folder that stays if there is room (`distinguishing_folders`), the first being 0. A
    path in a home folder begins with `~`.
    """
    folders, name = _split(path)
    home = _HOME.match(path)
    if home is not None and (kept_folder is None or kept_folder > home[0].count("/")):
        above = home[0].count("/")
        folders, kept_folder = ["~", *folders[above + 1 :]], None if kept_folder is None else kept_folder - above
    whole = "/".join([*folders, name])
    if cell_len(whole) <= width:
        return whole
    if not folders or cell_len(name) + 2 > width:
        return _name_cut(name, width)
    for form in _forms(folders, kept_folder):
        shortened = "/".join([*form, name])
        if cell_len(shortened) <= width:
            return shortened
    room = width - cell_len(name) - 3
    if kept_folder is None or room < _MIN_FOLDER:
        return f"…/{name}"
    return f"…/{cut(folders[kept_folder], room)}/{name}"


def distinguishing_folders(paths: Iterable[str]) -> dict[str, int]:
    """For each path of a file whose name others have, too, the index of the first folder that none of them shares."""
    by_name: dict[str, list[list[str]]] = {}
    for path in set(paths):
        folders, name = _split(path)
        by_name.setdefault(name, []).append(folders)
    indices: dict[str, int] = {}
    for name, same in by_name.items():
        for one, other in pairwise(sorted(same)):
            shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
            for folders in (one, other):
                if shared < len(folders):
                    path = "/".join([*folders, name])
                    indices[path] = max(shared, indices.get(path, 0))
    return indices


def _split(path: str) -> tuple[list[str], str]:
    """The folders and the name; a slash at the end belongs to the name."""
    slash = path.rfind("/", 0, len(path) - 1)
    return (path[:slash].split("/"), path[slash + 1 :]) if slash >= 0 else ([], path)


def _forms(folders: list[str], kept_folder: int | None) -> Iterator[list[str]]:
    """The folders with fewer and fewer of those in the middle."""
    first, last = folders[0], len(folders) if kept_folder is None else kept_folder
    if first not in {"", "~"}:
        yield from ([first, "…", *folders[start:]] for start in range(2, last + 1))
    yield from (["…", *folders[start:]] for start in range(1, last + 1))
    if kept_folder is not None and kept_folder < len(folders) - 1:
        yield ["…", folders[kept_folder], "…"] if kept_folder else [folders[0], "…"]


def _name_cut(name: str, width: int) -> str:
    if cell_len(name) <= width:
        return name
    end = tail(name, (width - 1) * 2 // 3)
    return head(name, width - 1 - cell_len(end)) + "…" + end if width > 2 else cut(name, width)
