"""The list of the files of all sessions, or their folders as a tree."""

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
from memtui.formatting import age, cut, number
from memtui.path_text import middle_cut
from memtui.requests import EditorRequested, FileHandoffRequested
from memtui.views.files.folders import Folder, FolderKey, TreeLine, folder_tree, folders_of, unfolded_lines
from memtui.widgets.row_list import ListRow, RowList
from memtui_core.queries.files import FileRow

MAX_FILES = 500
"""Files that are listed at most; the filter finds the others."""
_SYMBOLS: Final = "✎○·●"
"""The symbols after the counts: turns that edited, read and mentioned a file, and sessions."""
_AGE_WIDTH = 6
"""Cells of an age."""
_PATH_BESIDE_MENTIONS, _PATH_BESIDE_FIRST = 22, 30
"""Cells that must be left for the path if the mentions, and the first touch, are shown."""
SORTS: Final[dict[str, Callable[[FileRow], Any]]] = {
    "last": lambda row: -(row.last.timestamp() if row.last else 0.0),
    "edits": lambda row: -row.edited,
    "reads": lambda row: -row.read,
    "mentions": lambda row: -row.mentioned,
    "sessions": lambda row: -row.sessions,
    "path": attrgetter("path"),
}
"""Sort keys, by the name in the border."""


class FileList(RowList):
    """One row for each file: path, counts, first and last touch; as a tree, also one for each folder."""

    HELP: ClassVar[str] = """\
## Files

Every file that a session edited, read or mentioned, with the number of turns that edited `✎`, read `○` and mentioned
`·` it, the number of sessions `●`, and the first and the last touch. Columns for which a narrow list has no room are
shown below the timeline. `/` filters by any part of the path, also incomplete or mistyped; `s` sorts by the next
column; `enter` goes to the timeline of the file. `t` shows the folders as a tree, which `enter` unfolds and `left`
folds; with a filter, files are listed without folders.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "sort", "Sort", tooltip="Sort by the next column", id="files.sort"),
        Binding("t", "tree", "Tree", tooltip="Show folders as a tree, or all files", id="files.tree"),
        Binding("h,left", "fold", "Fold", tooltip="Fold the folder, or go to its folder", show=False, id="files.fold"),
        Binding("o", "edit_file", "Editor", tooltip="Open the file in your editor", id="files.edit"),
        Binding("H", "handoff", "Hand off", tooltip="Hand off its history to an agent", show=False, id="files.handoff"),
    ]

    @dataclass
    class Chosen(Message):
        """Show the timeline of a file; `read` to go there."""

        file: FileRow
        read: bool

    class Sorted(Message):
        """The order, or the choice between list and tree, has changed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.sort = "last"
        self.as_tree = False
        self._files: Sequence[FileRow] = ()
        self._folders: list[Folder] = []
        self._filtered = False
        self._unfolded: set[FolderKey] = set()
        self._tree_lines: list[TreeLine] = []

    def show(self, files: Sequence[FileRow], *, filtered: bool = False) -> None:
        """Show files; `filtered` ones are shown without folders."""
        if (files, filtered) != (self._files, self._filtered):
            self._files, self._filtered, self._folders = files, filtered, []
            self.fill(self.chosen)

    def rows(self, width: int) -> list[ListRow]:
        """One line for each file or folder."""
        order = SORTS[self.sort]
        if self.as_tree and not self._filtered:
            self._tree_lines = list(unfolded_lines(self._tree(), order, self._unfolded))
        else:
            self._tree_lines = [TreeLine(0, row) for row in sorted(self._files, key=order)[:MAX_FILES]]
        now = clock.now()
        columns = _Columns.of([line.row for line in self._tree_lines], width)
        paths = Counter(line.row.path for line in self._tree_lines if not line.depth)
        repeated = {path for path, count in paths.items() if count > 1}
        return [
            ListRow(
                (line.row.root, line.row.project, line.row.path),
                _content(line, self._unfolded, now, width, columns, repeated),
            )
            for line in self._tree_lines
        ]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the timeline of a file; fold or unfold a folder."""
        line = self._tree_lines[index]
        if line.folder is None:
            self.post_message(self.Chosen(line.row, read))
        elif read:
            self._unfolded ^= {line.folder.key}
            self.fill(self.chosen)

    def action_tree(self) -> None:
        """Show the folders as a tree, or all files."""
        self.as_tree = not self.as_tree
        if self.as_tree and (chosen := self._chosen_file()) is not None:
            self._unfolded |= {*folders_of(self._tree(), (chosen.root, chosen.project, chosen.path))}
        self.fill(self.chosen)
        self.post_message(self.Sorted())

    def action_fold(self) -> None:
        """Fold the folder under the cursor; from a file or a folded folder, go to the parent folder."""
        cursor = self.highlighted
        if cursor is None:
            return
        folder = self._tree_lines[cursor].folder
        if folder is not None and folder.key in self._unfolded:
            self.choose(cursor, read=True)
            return
        parents = [index for index in range(cursor) if self._tree_lines[index].depth < self._tree_lines[cursor].depth]
        if parents:
            self.highlighted = parents[-1]

    def action_sort(self) -> None:
        """Sort by the next column."""
        names = list(SORTS)
        self.sort = names[(names.index(self.sort) + 1) % len(names)]
        self.fill()
        self.post_message(self.Sorted())

    def action_handoff(self) -> None:
        """Hand off the history of the chosen file."""
        if (chosen := self._chosen_file()) is not None:
            self.post_message(FileHandoffRequested(chosen.path, chosen.root))

    def action_edit_file(self) -> None:
        """Open the chosen file in the user's editor."""
        if (chosen := self._chosen_file()) is not None:
            self.post_message(EditorRequested((Path(chosen.root) / chosen.path,)))

    def _tree(self) -> list[Folder]:
        """The tree; a single project in it is unfolded."""
        if not self._folders:
            self._folders = folder_tree(self._files)
            if len(self._folders) == 1:
                self._unfolded.add(self._folders[0].key)
        return self._folders

    def _chosen_file(self) -> FileRow | None:
        """The file under the cursor; None on a folder."""
        line = self._tree_lines[self.highlighted] if self.highlighted is not None else None
        return line.row if line is not None and line.folder is None else None


def facts_of(row: FileRow, now: datetime) -> str:
    """All facts of a file on one line: `12✎ 3○ 1· 2● · 20 d to 2 d`."""
    counts = " ".join(f"{number(count)}{symbol}" for count, symbol in zip(_counts(row), _SYMBOLS, strict=True))
    times = " to ".join(dict.fromkeys(filter(None, (age(row.first, now), age(row.last, now)))))
    return " · ".join(filter(None, (counts, times)))


def _counts(row: FileRow) -> tuple[int, int, int, int]:
    return row.edited, row.read, row.mentioned, row.sessions


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns after the path that fit; the first touch and the mentions are left out first."""

    widths: tuple[int, ...]
    """Cells of each count; 0 if it is not shown."""
    first: bool
    """Whether the first touch is shown."""

    @classmethod
    def of(cls, rows: Sequence[FileRow], width: int) -> _Columns:
        longest = [max(map(len, map(str, column))) for column in zip(*map(_counts, rows), strict=True)]
        edited, read, mentioned, sessions = (length + 2 for length in longest) if rows else (3, 3, 3, 3)
        path = width - 1 - edited - read - mentioned - sessions - _AGE_WIDTH
        mentioned = mentioned if path >= _PATH_BESIDE_MENTIONS else 0
        return cls((edited, read, mentioned, sessions), path - _AGE_WIDTH >= _PATH_BESIDE_FIRST)

    def facts(self, row: FileRow, now: datetime, *, of_folder: bool) -> str:
        """The facts of a file or a folder, for which the number of sessions is left out."""
        counts = zip((*_counts(row)[:3], 0 if of_folder else row.sessions), _SYMBOLS, self.widths, strict=True)
        facts = [f"{f'{count}{symbol}' if count else '':>{width}}" for count, symbol, width in counts if width]
        times = (row.first, row.last) if self.first else (row.last,)
        return "".join([*facts, *(f"{age(at, now):>{_AGE_WIDTH}}" for at in times)])


def _content(
    line: TreeLine,
    unfolded: Collection[FolderKey],
    now: datetime,
    width: int,
    columns: _Columns,
    repeated: Collection[str],
) -> Content:
    """`src/upload.py   12✎   3○   1·   2●  20 d   2 d`: counts of turns and sessions, first and last touch.

    A path of `repeated`, which several projects have, follows the name of its project.
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
        left = Content.assemble((project, "dim"), middle_cut(row.path, left_width - cell_len(project)))
    return Content.assemble(left, " " * max(1, width - left.cell_length - len(facts)), (facts, "dim"))
