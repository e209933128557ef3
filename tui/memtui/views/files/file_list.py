"""Files over all sessions: all of them, or their folders as a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from memtui import clock
from memtui.formatting import age, cut, middle_cut, number
from memtui.requests import EditorRequested, FileHandoffRequested
from memtui.views.files.folders import Folder, Key, Line, folded, holding, lines
from memtui.widgets.row_list import Row, RowList
from memtui_core.queries.files import FileRow

MOST = 500
"""Files that are listed at once: the filter finds the others."""
_SIGNS: Final = "✎○·●"
"""What the counts are of: turns that edited, read and mentioned a file, and sessions."""
_AGE = 6
"""Cells of a time."""
_PATH_BESIDE_MENTIONS, _PATH_BESIDE_FIRST = 22, 30
"""Cells that a path must have left for the list to show the mentions, and the first touch."""
SORTS: Final[dict[str, Callable[[FileRow], Any]]] = {
    "last": lambda row: -(row.last.timestamp() if row.last else 0.0),
    "edits": lambda row: -row.edited,
    "reads": lambda row: -row.read,
    "mentions": lambda row: -row.mentioned,
    "sessions": lambda row: -row.sessions,
    "path": attrgetter("path"),
}
"""Orders of the files, by the name that the border shows."""


class FileList(RowList):
    """A file a row: path, counts, and the first and the last touch; as a tree, folders too."""

    HELP: ClassVar[str] = """\
## Files

Every file that a session edited, read or mentioned: turns that edited `✎`, read `○` and mentioned `·` it, sessions `●`,
and the first and the last touch; what a narrow list leaves out stands under the timeline. `/` filters by any part
of the path, half or mistyped too; `s` sorts by the next column; `enter` goes to the file's timeline. `t` shows the
folders as a tree, which `enter` and `left` unfold and fold; what a filter leaves is listed without folders.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "sort", "Sort", tooltip="Sort by the next column", id="files.sort"),
        Binding("t", "tree", "Tree", tooltip="Folders as a tree, or all files", id="files.tree"),
        Binding("h,left", "fold", "Fold", tooltip="Fold the folder, or go to it", show=False, id="files.fold"),
        Binding("o", "edit_file", "Editor", tooltip="Open the file in your editor", id="files.edit"),
        Binding("H", "handoff", "Hand off", tooltip="Hand its history on to an agent", show=False, id="files.handoff"),
    ]

    @dataclass
    class Chosen(Message):
        """The timeline of a file is wanted; `read` when the person wants to go there."""

        file: FileRow
        read: bool

    class Sorted(Message):
        """The files stand in another order."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.sort = "last"
        self.as_tree = False
        self._files: Sequence[FileRow] = ()
        self._folders: list[Folder] = []
        self._filtered = False
        self._unfolded: set[Key] = set()
        self._listed: list[Line] = []

    def show(self, files: Sequence[FileRow], *, filtered: bool = False) -> None:
        """Take the files; what a filter left is shown without folders."""
        if (files, filtered) != (self._files, self._filtered):
            self._files, self._filtered, self._folders = files, filtered, []
            self.fill(self.chosen)

    def rows(self, width: int) -> list[Row]:
        """One line a file or folder."""
        order = SORTS[self.sort]
        if self.as_tree and not self._filtered:
            self._listed = list(lines(self._grown(), order, self._unfolded))
        else:
            self._listed = [Line(0, row) for row in sorted(self._files, key=order)[:MOST]]
        now = clock.now()
        columns = _Columns.of([line.row for line in self._listed], width)
        paths = Counter(line.row.path for line in self._listed if not line.depth)
        alike = {path for path, count in paths.items() if count > 1}
        return [
            Row(
                (line.row.root, line.row.project, line.row.path),
                _line(line, self._unfolded, now, width, columns, alike),
            )
            for line in self._listed
        ]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the timeline; fold or unfold a folder."""
        line = self._listed[index]
        if line.folder is None:
            self.post_message(self.Chosen(line.row, read))
        elif read:
            self._unfolded ^= {line.folder.key}
            self.fill(self.chosen)

    def action_tree(self) -> None:
        """Show the folders as a tree, or all files."""
        self.as_tree = not self.as_tree
        if self.as_tree and (chosen := self._file()) is not None:
            self._unfolded |= {*holding(self._grown(), (chosen.root, chosen.project, chosen.path))}
        self.fill(self.chosen)
        self.post_message(self.Sorted())

    def action_fold(self) -> None:
        """Fold the folder with the cursor; from what cannot be folded go to the folder that it is in."""
        here = self.highlighted
        if here is None:
            return
        folder = self._listed[here].folder
        if folder is not None and folder.key in self._unfolded:
            self.choose(here, read=True)
            return
        above = [place for place in range(here) if self._listed[place].depth < self._listed[here].depth]
        if above:
            self.highlighted = above[-1]

    def action_sort(self) -> None:
        """Sort by the next column."""
        names = list(SORTS)
        self.sort = names[(names.index(self.sort) + 1) % len(names)]
        self.fill()
        self.post_message(self.Sorted())

    def action_handoff(self) -> None:
        """Hand the chosen file's history on."""
        if (chosen := self._file()) is not None:
            self.post_message(FileHandoffRequested(chosen.path, chosen.root))

    def action_edit_file(self) -> None:
        """Open the chosen file in the person's editor."""
        if (chosen := self._file()) is not None:
            self.post_message(EditorRequested((Path(chosen.root) / chosen.path,)))

    def _grown(self) -> list[Folder]:
        """The tree; a project that is alone in it is unfolded."""
        if not self._folders:
            self._folders = folded(self._files)
            if len(self._folders) == 1:
                self._unfolded.add(self._folders[0].key)
        return self._folders

    def _file(self) -> FileRow | None:
        """The file with the cursor; None on a folder."""
        line = self._listed[self.highlighted] if self.highlighted is not None else None
        return line.row if line is not None and line.folder is None else None


def facts_of(row: FileRow, now: datetime) -> str:
    """All facts of a file in a line: `12✎ 3○ 1· 2● · 20 d to 2 d`."""
    counts = " ".join(f"{number(count)}{sign}" for count, sign in zip(_counts(row), _SIGNS, strict=True))
    times = " to ".join(dict.fromkeys(filter(None, (age(row.first, now), age(row.last, now)))))
    return " · ".join(filter(None, (counts, times)))


def _counts(row: FileRow) -> tuple[int, int, int, int]:
    return row.edited, row.read, row.mentioned, row.sessions


@dataclass(frozen=True, slots=True)
class _Columns:
    """The facts beside each path: as many as the width has room for, the mentions and the first touch last."""

    cells: tuple[int, ...]
    """Cells of each count, 0 for one that is not shown."""
    first: bool

    @classmethod
    def of(cls, rows: Sequence[FileRow], width: int) -> _Columns:
        longest = [max(map(len, map(str, column))) for column in zip(*map(_counts, rows), strict=True)]
        edited, read, mentioned, sessions = (length + 2 for length in longest) if rows else (3, 3, 3, 3)
        path = width - 1 - edited - read - mentioned - sessions - _AGE
        shown = mentioned if path >= _PATH_BESIDE_MENTIONS else 0
        return cls((edited, read, shown, sessions), path - _AGE >= _PATH_BESIDE_FIRST)

    def line(self, row: FileRow, now: datetime, *, of_folder: bool) -> str:
        """The facts of a file; the sessions of a folder are not counted."""
        counts = zip((*_counts(row)[:3], 0 if of_folder else row.sessions), _SIGNS, self.cells, strict=True)
        facts = [f"{f'{count}{sign}' if count else '':>{cells}}" for count, sign, cells in counts if cells]
        times = (row.first, row.last) if self.first else (row.last,)
        return "".join([*facts, *(f"{age(at, now):>{_AGE}}" for at in times)])


def _line(
    line: Line, unfolded: Collection[Key], now: datetime, width: int, columns: _Columns, alike: Collection[str]
) -> Content:
    """`src/upload.py   12✎   3○   1·   2●  20 d   2 d`: counts of turns and of sessions, first touch and last.

    A path that several projects have stands behind the project's name.
    """
    row, folder, indent = line.row, line.folder, "  " * line.depth
    facts = columns.line(row, now, of_folder=folder is not None)
    room = max(8, width - len(facts) - 1 - len(indent))
    if folder is not None:
        sign, many = ("▾" if folder.key in unfolded else "▸"), f" {number(folder.count)}"
        name = cut(folder.name, room - 2 - len(many))
        left = Content.assemble(f"{indent}{sign} ", (name, "bold"), (many, "dim"))
    elif line.depth:
        left = Content(indent + middle_cut(row.path.rpartition("/")[2], room))
    else:
        project = f"{cut(row.project, room // 3)} " if row.path in alike else ""
        left = Content.assemble((project, "dim"), middle_cut(row.path, room - cell_len(project)))
    return Content.assemble(left, " " * max(1, width - left.cell_length - len(facts)), (facts, "dim"))
