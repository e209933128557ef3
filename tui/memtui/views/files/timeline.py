"""The turns that touched one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from memtui import clock
from memtui.formatting import age, cut
from memtui.requests import FileContentRequested
from memtui.widgets.row_list import Row, RowList
from memtui_core.model import FileTouch

_MARKS = {"edited": "✎", "read": "○", "mentioned": "·"}


class FileTimeline(RowList):
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


def _touch(one: FileTouch, ago: str, width: int) -> Content:
    """`✎ Fix flaky uploads · 12 Edit   2 d`: the session and the turn, the tool, and when it was."""
    mark, turn = _MARKS[one.kind], f" · {one.turn} "
    title = cut(one.title, max(8, width - len(ago) - 3 - len(turn) - len(one.tool) - 1))
    gap = " " * max(1, width - 2 - cell_len(title) - len(turn) - len(one.tool) - len(ago))
    style = "bold" if one.kind == "edited" else ""
    return Content.assemble(f"{mark} ", (title, style), (turn, "dim"), (one.tool, "dim"), gap, (ago, "dim"))
