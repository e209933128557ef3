"""The rows of files: their columns, and all facts of a file in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from rich.cells import cell_len
from textual.content import Content

from memtui.views.files.folders import FolderKey, TreeLine
from memtui.wording.formatting import age, cut, number, plural
from memtui.wording.path_text import middle_cut
from memtui_core.index.files import FileRow

_COUNTS: Final = (("✎", "edit", 0), ("○", "read", 78), ("·", "mention", 92), ("●", "session", 85))
"""The counts of a file: the symbol after the number, what is counted, and the width from which the column is shown."""
_FIRST_FROM: Final = 99
"""The width from which the first touch is shown."""
_AGE_WIDTH: Final = 6


def _counts(row: FileRow) -> tuple[int, int, int, int]:
    return row.edited, row.read, row.mentioned, row.sessions


def facts_of(row: FileRow, now: datetime) -> str:
    """All facts of a file in words: `✎ 12 edits  ○ 3 reads  ● 2 sessions  20 d to 2 d`; zeros are left out."""
    counts = [
        f"{symbol} {plural(count, noun)}"
        for count, (symbol, noun, _) in zip(_counts(row), _COUNTS, strict=True)
        if count
    ]
    times = " to ".join(dict.fromkeys(filter(None, (age(row.first, now), age(row.last, now)))))
    return "  ".join(filter(None, ("" if row.edited else "no edits", *counts, times)))


@dataclass(frozen=True, slots=True)
class FileColumns:
    """The columns after the path: edits, the count of the sort key and the last touch; in a wider list all others."""

    widths: tuple[int, ...]
    """Cells of each count; 0 if it is not shown."""
    first: bool
    """Whether the first touch is shown."""

    @classmethod
    def of(cls, rows: Sequence[FileRow], width: int, sort: str) -> FileColumns:
        """The columns for rows in a list of a width in cells with a sort key."""
        longest = [max(map(len, map(str, column))) for column in zip(*map(_counts, rows), strict=True)] or [1] * 4
        widths = (
            length + 2 if width >= least or sort == f"{noun}s" else 0
            for length, (_, noun, least) in zip(longest, _COUNTS, strict=True)
        )
        return cls(tuple(widths), width >= _FIRST_FROM)

    @property
    def legend(self) -> str:
        """The symbols of the counts that are shown: `✎ edits  ○ reads`."""
        shown = zip(self.widths, _COUNTS, strict=True)
        return "  ".join(f"{symbol} {noun}s" for width, (symbol, noun, _) in shown if width)

    def facts(self, row: FileRow, now: datetime, *, of_folder: bool) -> str:
        """The facts of a file or a folder, for which the number of sessions is left out."""
        counts = zip((*_counts(row)[:3], 0 if of_folder else row.sessions), _COUNTS, self.widths, strict=True)
        facts = [f"{f'{count}{symbol}' if count else '':>{width}}" for count, (symbol, _, _), width in counts if width]
        times = (row.first, row.last) if self.first else (row.last,)
        return "".join([*facts, *(f"{age(at, now):>{_AGE_WIDTH}}" for at in times)])


def file_content(
    line: TreeLine,
    unfolded: Collection[FolderKey],
    now: datetime,
    width: int,
    columns: FileColumns,
    repeated: Collection[str],
    distinguishing_folders: Mapping[str, int],
) -> Content:
    """`src/upload.py   12✎   2 d`: the counts of turns and sessions, the first and the last touch.

    A path of `repeated`, which several projects have, follows the name of its project; `distinguishing_folders` stay
    in cut paths.
    """
    row, folder, indent = line.row, line.folder, "  " * line.depth
    facts = columns.facts(row, now, of_folder=folder is not None)
    left_width = max(8, width - len(facts) - 1 - len(indent))
    if folder is not None:
        mark, count = ("▾" if folder.key in unfolded else "▸"), f" {number(folder.count)}"
        name = cut(folder.name, left_width - 2 - len(count))
        left = Content.assemble(f"{indent}{mark} ", (name, "bold"), (count, "dim"))
    elif line.depth:
        left = Content(indent + middle_cut(row.path.rpartition("/")[2], left_width))
    else:
        project = f"{cut(row.project, left_width // 3)} " if row.path in repeated else ""
        left = Content.assemble(
            (project, "dim"), middle_cut(row.path, left_width - cell_len(project), distinguishing_folders.get(row.path))
        )
    return Content.assemble(left, " " * max(1, width - left.cell_length - len(facts)), (facts, "dim"))
