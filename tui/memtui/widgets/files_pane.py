"""Files over all sessions: a filter, the files, and the timeline of the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from memtui import moment
from memtui.present import age, cut, middle_cut, number
from memtui.widgets.filtered_pane import FilteredPane
from memtui.widgets.row_list import Row, RowList
from memtui.wishes import ContentWanted, EditorWanted, HandoffWanted
from memtui_core.listings import FileRow
from memtui_core.model import FileTouch

_MOST = 500
"""Files that are listed at once: the filter finds the others."""
_COUNT = 5
"""Cells of each count."""
SORTS: Final[dict[str, Callable[[FileRow], Any]]] = {
    "last": lambda row: -(row.last.timestamp() if row.last else 0.0),
    "edits": lambda row: -row.edited,
    "reads": lambda row: -row.read,
    "mentions": lambda row: -row.mentioned,
    "sessions": lambda row: -row.sessions,
    "path": attrgetter("path"),
}
"""Orders of the files, by the name that the border shows."""
_MARKS = {"edited": "✎", "read": "○", "mentioned": "·"}


class FileList(RowList):
    """A file a row: path, edits, reads, sessions and the last touch."""

    HELP: ClassVar[str] = """\
## Files

Every file that a session edited, read or mentioned: turns that edited `✎` and read `○` it, sessions `●`, and the last
touch. `/` filters by any part of the path, half or mistyped too; `s` sorts by the next column; `enter` goes to the
file's timeline.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "sort", "Sort", tooltip="Sort by the next column", id="files.sort"),
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
        self._files: Sequence[FileRow] = ()
        self._listed: Sequence[FileRow] = ()

    def show(self, files: Sequence[FileRow]) -> None:
        """Take the files."""
        if files != self._files:
            self._files = files
            self.fill(self.chosen)

    def rows(self, width: int) -> list[Row]:
        """One line a file."""
        self._listed = sorted(self._files, key=SORTS[self.sort])[:_MOST]
        now = moment.now()
        return [Row((row.root, row.project, row.path), _file(row, age(row.last, now), width)) for row in self._listed]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the timeline."""
        self.post_message(self.Chosen(self._listed[index], read))

    def action_sort(self) -> None:
        """Sort by the next column."""
        names = list(SORTS)
        self.sort = names[(names.index(self.sort) + 1) % len(names)]
        self.fill()
        self.post_message(self.Sorted())

    def action_handoff(self) -> None:
        """Hand the chosen file's history on."""
        if self.highlighted is not None:
            chosen = self._listed[self.highlighted]
            self.post_message(HandoffWanted(chosen.path, chosen.root))

    def action_edit_file(self) -> None:
        """Open the chosen file in the person's editor."""
        if self.highlighted is not None:
            chosen = self._listed[self.highlighted]
            self.post_message(EditorWanted((Path(chosen.root) / chosen.path,)))


class Timeline(RowList):
    """What happened to one file, the newest first."""

    HELP: ClassVar[str] = """\
## Timeline of a file

The turns of all sessions that touched it: `✎` edited, `○` read, `·` mentioned. `enter` reads the turn; `v` shows what
the file held after it, as far as that session knew.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "view", "Content", tooltip="What the file held, as the session knew it", id="timeline.view"),
    ]

    @dataclass
    class Chosen(Message):
        """A turn is to be shown; `read` when the person wants to go there."""

        touch: FileTouch
        read: bool

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._touches: Sequence[FileTouch] = ()

    def show(self, touches: Sequence[FileTouch]) -> None:
        """Take the touches of a file."""
        if touches != self._touches:
            self._touches = touches
            self.fill(self.chosen)

    def rows(self, width: int) -> list[Row]:
        """One line a touch."""
        now = moment.now()
        return [
            Row((one.session, one.turn, one.tool, one.kind), _touch(one, age(one.at, now), width))
            for one in self._touches
        ]

    def action_view(self) -> None:
        """Show what the file held after the chosen turn."""
        if self.highlighted is not None:
            touch = self._touches[self.highlighted]
            self.post_message(ContentWanted(touch.path, touch.session, touch.turn))

    def choose(self, index: int, *, read: bool) -> None:
        """Show the turn."""
        self.post_message(self.Chosen(self._touches[index], read))


class FilesPane(FilteredPane):
    """The filter above, files, and the chosen one's timeline below."""

    PLACEHOLDER = "filter files"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        self.files = FileList(id="files")
        self.timeline = Timeline(id="timeline")
        super().__init__(self.files, self.timeline, id=id)

    def on_mount(self) -> None:
        """Name the parts."""
        self.timeline.border_title = "timeline"
        self._entitle()

    def show(self, files: Sequence[FileRow]) -> None:
        """Take the files that the filter leaves."""
        self.files.show(files)
        if not files:
            self.timeline.show(())
        more = f"{number(_MOST)} of " if len(files) > _MOST else ""
        self.files.border_subtitle = f"{more}{number(len(files))}"

    @on(FileList.Sorted)
    def _entitle(self) -> None:
        self.files.border_title = f"files by {self.files.sort}"


def _file(row: FileRow, ago: str, width: int) -> Content:
    """`src/upload.py   12✎   3○   2●   2 d`: turns that edited and read it, sessions, the last touch."""
    counts = ((row.edited, "✎"), (row.read, "○"), (row.sessions, "●"))
    facts = "".join(f"{f'{count}{sign}' if count else '':>{_COUNT}}" for count, sign in counts) + f"{ago:>6}"
    path = middle_cut(row.path, max(8, width - len(facts) - 1))
    gap = " " * max(1, width - cell_len(path) - len(facts))
    return Content.assemble(path, gap, (facts, "dim"))


def _touch(one: FileTouch, ago: str, width: int) -> Content:
    mark = _MARKS[one.kind]
    title = cut(one.title, max(8, width - len(ago) - 4 - len(one.tool) - 1))
    gap = " " * max(1, width - 3 - cell_len(title) - 1 - len(one.tool) - len(ago))
    style = "bold" if one.kind == "edited" else ""
    return Content.assemble(f"{mark} ", (title, style), " ", (one.tool, "dim"), gap, (ago, "dim"))
