"""The list of the touches of one file."""

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
from memtui.widgets.row_list import ListRow, RowList
from memtui_core.model import FileTouch

_MARKS = {"edited": "✎", "read": "○", "mentioned": "·"}


class FileTimeline(RowList):
    """One line for each touch, the newest first."""

    HELP: ClassVar[str] = """\
## Timeline of a file

The turns of all sessions that edited `✎`, read `○` or mentioned `·` the file. `enter` reads the turn; `v` shows the
content of the file after it, as far as the session knew it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "view", "Content", tooltip="Show the content that the session knew", id="timeline.view"),
    ]

    @dataclass
    class Chosen(Message):
        """Show a turn; `read` to go there, otherwise as a preview."""

        touch: FileTouch
        read: bool

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._touches: Sequence[FileTouch] = ()

    def show(self, touches: Sequence[FileTouch]) -> None:
        """Show the touches of a file."""
        if touches != self._touches:
            self._touches = touches
            self.fill(self.chosen)

    def rows(self, width: int) -> list[ListRow]:
        """One line for each touch."""
        now = clock.now()
        return [
            ListRow((touch.session, touch.turn, touch.tool, touch.kind), _content(touch, age(touch.at, now), width))
            for touch in self._touches
        ]

    def action_view(self) -> None:
        """Show the content of the file after the chosen turn."""
        if self.highlighted is not None:
            touch = self._touches[self.highlighted]
            self.post_message(FileContentRequested(touch.path, touch.session, touch.turn))

    def choose(self, index: int, *, read: bool) -> None:
        """Show the turn."""
        self.post_message(self.Chosen(self._touches[index], read))


def _content(touch: FileTouch, ago: str, width: int) -> Content:
    """`✎ Fix flaky uploads · 12 Edit   2 d`: the session, the turn, the tool, and the age."""
    mark, turn = _MARKS[touch.kind], f" · {touch.turn} "
    title = cut(touch.title, max(8, width - len(ago) - 3 - len(turn) - len(touch.tool) - 1))
    gap = " " * max(1, width - 2 - cell_len(title) - len(turn) - len(touch.tool) - len(ago))
    style = "bold" if touch.kind == "edited" else ""
    return Content.assemble(f"{mark} ", (title, style), (turn, "dim"), (touch.tool, "dim"), gap, (ago, "dim"))
