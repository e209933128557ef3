"""The list of the files of all sessions, or their folders as a tree."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import takewhile
from typing import ClassVar

from memtui.keys.declarations import Key, keys
from memtui.system import clock
from memtui.views.base import NEWEST
from memtui.views.files.file_rows import FileCells, list_columns, tree_columns
from memtui.views.files.folders import Folder, FolderKey, TreeLine, file_key, folder_tree, folders_of, unfolded_lines
from memtui.widgets.requests.panes import BlameRequested, EditorRequested, FileHandoffRequested
from memtui.widgets.table.columns import Order, TableColumn
from memtui.widgets.table.table_list import TableList
from memtui_core.index.files import FileRow, paths_on_disk

MAX_FILES = 500
"""Files that are listed at most; the filter finds the others."""


class FileList(TableList[TreeLine]):
    """One row for each file: name, folder, counts, first and last touch; as a tree, also one for each folder."""

    HELP: ClassVar[str] = """\
## Files

Every file that a session edited, read or mentioned, with the number of turns that did so, the number of sessions, and
how long ago the first and the last touch was. Columns for which a narrow list has no room are shown with the history of
the file. `/` filters by any part of the path, also incomplete or mistyped; `s` sorts by the next column, `I` the other
way round, and so does a click on a heading; `enter` goes to the history of the file, and `b` shows who wrote each of
its lines. A backtick shows the folders as a tree, which `enter` unfolds and `left` folds; with a filter, files are
listed without folders.
"""
    BINDINGS = keys(
        "files",
        Key("grave_accent", "tree", "Tree", "Show folders as a tree, or all files", "files.tree", show=True),
        Key("h,left", "fold", "Fold", "Fold the folder, or go to its folder", "files.fold"),
        Key("o", "edit_file", "Editor", "Open the file in your editor", "files.edit",
            synonyms="editor vim open", show=True),
        Key("b", "blame", "Blame", "Show who wrote each line of the file", "files.blame",
            synonyms="annotate lines why author origin git", show=True),
        Key("H", "handoff", "Hand off", "Hand off its history to an agent", "files.handoff",
            synonyms="continue context agent"),
    )  # fmt: skip

    def __init__(self, show_history: Callable[[FileRow, bool], None], order_changed: Callable[[], None]) -> None:
        """`show_history` is called with a file, and whether to go to its history."""
        super().__init__(Order(NEWEST), order_changed, id="files")
        self._show_history = show_history
        self.as_tree = False
        self._files: Sequence[FileRow] = ()
        self._all: Sequence[TreeLine] = ()
        """The lines of all files, without folders."""
        self._cells = FileCells.of((), clock.now())
        self._folders: list[Folder] = []
        self._pattern = ""
        self._unfolded: set[FolderKey] = set()
        self._tree_lines: list[TreeLine] = []
        self._places: dict[bool, tuple[Hashable, float]] = {}
        """The chosen row and the scroll offset in which the list (False) and the tree (True) were left."""
        self._switched_to: Hashable = None
        """The row that was chosen when the tree or the list was shown."""

    def show(self, files: Sequence[FileRow], pattern: str = "") -> None:
        """Show files; those that were found by a pattern are shown without folders."""
        if (files, pattern) != (self._files, self._pattern):
            self._files, self._pattern, self._folders = files, pattern, []
            self._all = [TreeLine(0, row) for row in files]
            self.fill(self.chosen)

    @property
    def columns(self) -> list[TableColumn[TreeLine]]:
        """Those of the tree, or of all files."""
        if self.as_tree and not self._pattern:
            return tree_columns(self._unfolded, clock.now())
        return list_columns(self._cells, lambda: self.table.shows("project"))

    def lines(self) -> list[TreeLine]:
        """The files, or the folders and the files in those that are unfolded."""
        if self.as_tree and not self._pattern:
            self._tree_lines = list(unfolded_lines(self._tree(), self.ordered, self._unfolded))
        else:
            self._tree_lines = self.ordered(self._all)[:MAX_FILES]
            self._cells = FileCells.of([line.row for line in self._tree_lines], clock.now(), self._pattern)
        return self._tree_lines

    def key_of(self, row: TreeLine) -> FolderKey:
        """The file or the folder."""
        return file_key(row.row)

    def choose(self, index: int, *, read: bool) -> None:
        """Show the history of a file; fold or unfold a folder."""
        line = self._tree_lines[index]
        if line.folder is None:
            self._show_history(line.row, read)
        elif read:
            self._unfolded ^= {line.folder.key}
            self.fill(self.chosen)
            self._scroll_to_contents(index)

    def key_name(self, action: str) -> str | None:
        """A folder is unfolded or folded."""
        cursor = self.highlighted
        folder = self._tree_lines[cursor].folder if cursor is not None and cursor < len(self._tree_lines) else None
        if action != "select" or folder is None:
            return None
        return "Fold" if folder.key in self._unfolded else "Unfold"

    def _scroll_to_contents(self, index: int) -> None:
        """Make as much of an unfolded folder visible as there is room for below it."""
        lines = self._tree_lines
        inside = takewhile(lambda line: line.depth > lines[index].depth, lines[index + 1 :])
        top = min(index, index + sum(1 for _ in inside) - self.scrollable_content_region.height + 1)
        if top > self.scroll_y:
            self.scroll_to(y=top, animate=False, force=True)

    def action_tree(self) -> None:
        """Show the folders as a tree, or all files."""
        if self._pattern:
            self.as_tree = not self.as_tree
        else:
            self._switch()
        self._order_changed()

    def _switch(self) -> None:
        """Show the tree or the list as it was left; only a file to which the user has gone since is shown instead."""
        left, file = self.chosen, self.chosen_file
        self._places[self.as_tree] = left, self.scroll_y
        self.as_tree = not self.as_tree
        if file is not None and left != self._switched_to:
            if self.as_tree:
                self._unfolded |= {*folders_of(self._tree(), file_key(file))}
            self.fill(left)
            self.call_after_refresh(self.scroll_to_highlight)
        else:
            row, scrolled = self._places.get(self.as_tree, (left, 0))
            self.fill(row)
            self.scroll_to(y=scrolled, animate=False, force=True)
        self._switched_to = self.chosen

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

    def action_handoff(self) -> None:
        """Hand off the history of the chosen file."""
        if (chosen := self.chosen_file) is not None:
            self.post_message(FileHandoffRequested(chosen.path, chosen.root))

    def action_edit_file(self) -> None:
        """Open the chosen file in the user's editor."""
        if (chosen := self.chosen_file) is not None:
            self.post_message(EditorRequested(paths_on_disk(chosen)))

    def action_blame(self) -> None:
        """Show who wrote each line of the chosen file."""
        if (chosen := self.chosen_file) is not None:
            self.post_message(BlameRequested(EditorRequested(paths_on_disk(chosen)), chosen.path))

    def _tree(self) -> list[Folder]:
        """The tree; a single project in it is unfolded."""
        if not self._folders:
            self._folders = folder_tree(self._files)
            if len(self._folders) == 1:
                self._unfolded.add(self._folders[0].key)
        return self._folders

    @property
    def chosen_file(self) -> FileRow | None:
        """The file under the cursor; None on a folder."""
        line = self._tree_lines[self.highlighted] if self.highlighted is not None else None
        return line.row if line is not None and line.folder is None else None
