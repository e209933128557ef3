"""The indexed file that is closest to a path that no session touched: one of the same name in another folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui_core.text.controls import label
from memtui_core.text.paths import is_absolute, query_path
from memtui_core.text.similarity import are_similar_names


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file that sessions touched."""

    path: str
    """Relative to the root; absolute for a file outside of the project."""
    root: str
    """The project's folder; empty if it is not known."""
    last: datetime | None = None
    """When it was last touched."""

    @property
    def absolute_path(self) -> str:
        """The absolute path, or the relative one if the root is not known."""
        return f"{self.root.rstrip('/')}/{self.path}" if self.root and not is_absolute(self.path) else self.path


def closest_files(path: str, files: Sequence[IndexedFile]) -> list[int]:
    """The indexes of the files with the name of a path, the closest first; empty for a bare name or a pattern.

    The closest file shares the most folders with the path at its end, then at its beginning, then it was touched last.
    A mistyped folder counts as the one that it is similar to.
    """
    *folders, name = query_path(path).lower().split("/")
    if not folders or not name or "*" in path or "?" in path:
        return []
    ranked = []
    for index, file in enumerate(files):
        if file.path.lower().rpartition("/")[2] != name:
            continue
        all_folders = file.absolute_path.lower().split("/")[:-1]
        own_folders = all_folders if is_absolute(path) else file.path.lower().split("/")[:-1]
        last = file.last.timestamp() if file.last else 0.0
        shared_at_end = _count_shared(folders[::-1], all_folders[::-1])
        ranked.append((-shared_at_end, -_count_shared(folders, own_folders), -last, file.path, index))
    return [index for *_, index in sorted(ranked)]


def substitution_note(path: str, shown: Sequence[str], touched_by: str = "No session touched") -> str:
    """The message for the user that a path has no file and others are shown; safe to print, whatever the paths are."""
    more = f" and {len(shown) - 1} more" if len(shown) > 1 else ""
    return f"{touched_by} {label(path)}; shown: {label(shown[0])}{more}"


def _count_shared(folders: Sequence[str], other_folders: Sequence[str]) -> int:
    """How many folders are the same, from the first one on."""
    count = 0
    for folder, other in zip(folders, other_folders, strict=False):
        if not are_similar_names(folder, other):
            break
        count += 1
    return count
