"""Which file stands for a path that no session touched: the nearest one of the same name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui_core.text.controls import label
from memtui_core.text.paths import is_absolute, query_path
from memtui_core.text.similarity import is_similar


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file that sessions touched."""

    path: str
    """Relative to the root."""
    root: str
    """The project's folder; empty when it is not known."""
    last: datetime | None = None

    @property
    def whole(self) -> str:
        """Its absolute path, as far as that is known."""
        return f"{self.root.rstrip('/')}/{self.path}" if self.root else self.path


def by_nearness(path: str, files: Sequence[KnownFile]) -> list[int]:
    """Places of the files that are called as the path is, the nearest first; none for a bare name or a pattern.

    The nearest has the most folders in common with it at the end of the path, then at its beginning, then it was
    touched last. A mistyped folder counts as the one that it resembles.
    """
    *asked, name = query_path(path).lower().split("/")
    if not asked or not name or "*" in path or "?" in path:
        return []
    found = []
    for place, file in enumerate(files):
        if file.path.lower().rpartition("/")[2] != name:
            continue
        above = file.whole.lower().split("/")[:-1]
        below = above if is_absolute(path) else file.path.lower().split("/")[:-1]
        last = file.last.timestamp() if file.last else 0.0
        found.append((-_shared(asked[::-1], above[::-1]), -_shared(asked, below), -last, file.path, place))
    return [place for *_, place in sorted(found)]


def instead(path: str, shown: Sequence[str], touched_by: str = "No session touched") -> str:
    """What a person is told: no such file, and which are shown; a safe text, whatever the paths hold."""
    more = f" and {len(shown) - 1} more" if len(shown) > 1 else ""
    return f"{touched_by} {label(path)}; shown: {label(shown[0])}{more}"


def _shared(asked: Sequence[str], folders: Sequence[str]) -> int:
    """How many folders are the same, from the first one on."""
    count = 0
    for one, other in zip(asked, folders, strict=False):
        if not is_similar(one, other):
            break
        count += 1
    return count
