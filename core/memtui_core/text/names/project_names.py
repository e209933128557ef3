"""Names of projects, of which those with the same name show the folder that differs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from memtui_core.text.controls import Label, label, stored


class ProjectName(Label):
    """The name of a project that is not the only one of this name: `shop · ana`."""

    name: str
    folder: str
    """The part of its path that tells it from the others."""

    def __new__(cls, name: str, folder: str) -> Self:
        """A name with a folder; `raw` is the name in the index."""
        instance = super().__new__(cls, f"{name} · {folder}", stored(name))
        instance.name, instance.folder = name, folder
        return instance


def shown_names(projects: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The names of all projects, as they are shown, by their roots and names in the index."""
    by_name: dict[str, list[str]] = {}
    for root, name in sorted(set(projects)):
        by_name.setdefault(name, []).append(root)
    return {
        (root, name): ProjectName(label(name), label(folder)) if folder else label(name)
        for name, roots in by_name.items()
        for root, folder in zip(roots, distinct_folders(roots) if len(roots) > 1 else [""], strict=True)
    }


def distinct_folders(paths: Sequence[str]) -> list[str]:
    """For paths that end in the same folder, the shortest part of each that tells it from the others.

    A folder that no other path has, the nearest to the end; else as many of the last ones as are needed.
    """
    split = [path.split("/")[:-1] for path in paths]
    return [_distinct(folders, [other for other in split if other is not folders]) for folders in split]


def _distinct(folders: Sequence[str], others: Sequence[Sequence[str]]) -> str:
    foreign = {folder for other in others for folder in other}
    for folder in reversed(folders):
        if folder and folder not in foreign:
            return folder
    for count in range(2, len(folders)):
        if all(list(other[-count:]) != list(folders[-count:]) for other in others):
            return "/".join(folders[-count:])
    return "/".join(folders)
