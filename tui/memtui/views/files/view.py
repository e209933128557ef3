"""Files over all sessions: a filter, the files, and the timeline of the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from memtui import clock
from memtui.formatting import age, cut, number
from memtui.requests import FileContentRequested
from memtui.views.files.file_list import MOST, FileList
from memtui.widgets.filtered_pane import FilteredPane
from memtui.widgets.row_list import Row, RowList
from memtui_core.model import FileTouch
from memtui_core.queries.rows import FileRow

_MARKS = {"edited": "✎", "read": "○", "mentioned": "·"}


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
        now = clock.now()
        return [
            Row((one.session, one.turn, one.tool, one.kind), _touch(one, age(one.at, now), width))
            for one in self._touches
        ]

    def action_view(self) -> None:
        """Show what the file held after the chosen turn."""
        if self.highlighted is not None:
            touch = self._touches[self.highlighted]
            self.post_message(FileContentRequested(touch.path, touch.session, touch.turn))

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
        self._count = 0
        self._note = ""

    def on_mount(self) -> None:
        """Name the parts."""
        self.timeline.border_title = "timeline"
        self._entitle()

    def show(self, files: Sequence[FileRow], note: str = "") -> None:
        """Take the files that the filter leaves, and what is said of them."""
        self.files.show(files, filtered=bool(self.pattern))
        if not files:
            self.timeline.show(())
            self.timeline.border_subtitle = ""
        self._count, self._note = len(files), note
        self._entitle()

    @on(FileList.Sorted)
    def _entitle(self) -> None:
        as_tree = self.files.as_tree and not self.pattern
        self.files.border_title = f"{'folders' if as_tree else 'files'} by {self.files.sort}"
        more = f"{number(MOST)} of " if self._count > MOST and not as_tree else ""
        note = f" · {self._note}" if self._note else ""
        self.files.border_subtitle = Content(f"{more}{number(self._count)}{note}")


def _touch(one: FileTouch, ago: str, width: int) -> Content:
    """`✎ Fix flaky uploads · 12 Edit   2 d`: the session and the turn, the tool, and when it was."""
    mark, turn = _MARKS[one.kind], f" · {one.turn} "
    title = cut(one.title, max(8, width - len(ago) - 3 - len(turn) - len(one.tool) - 1))
    gap = " " * max(1, width - 2 - cell_len(title) - len(turn) - len(one.tool) - len(ago))
    style = "bold" if one.kind == "edited" else ""
    return Content.assemble(f"{mark} ", (title, style), (turn, "dim"), (one.tool, "dim"), gap, (ago, "dim"))
