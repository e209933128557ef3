"""What was written down, beside the list: an observation, or a session of which no transcript tells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from memtui.render.rows import Row
from memtui.views.timeline.observation_keys import ObservationKeys
from memtui.views.timeline.observation_rows import text_of
from memtui.widgets.line_view import LineView
from memtui.widgets.row_lines import RowLines

Make = Callable[[int], Sequence[Row]]


class ObservationPane(LineView, ObservationKeys):
    """Shows rows that are made for the width they get."""

    HELP: ClassVar[str] = """\
## Observation

What an agent, or you, wrote down to be remembered. `enter` goes to the turn it comes from, `c` changes it, `x` forgets
it and `u` brings it back, `a` writes another one for the same session, `y` copies all of it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "origin", "Turn", tooltip="Go to the turn it comes from", id="notes.turn"),
        Binding("y", "copy", "Copy", tooltip="Copy all of it", show=False, id="notes.copy"),
    ]

    class OriginRequested(Message):
        """The turn is to be shown in which it was written down."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(RowLines(self.rows), id=id)
        self.key = ""
        """Id of what is shown."""
        self._make: Make | None = None

    def on_mount(self) -> None:
        """The keys that are not in the line below."""
        self.border_subtitle = "enter turn · c change · x forget · v whole"

    def show(self, key: str, title: str, make: Make) -> None:
        """Show something; with the same key as before where one reads stays."""
        self.border_title = Content(title)
        if key != self.key:
            self.scroll_to(y=0, animate=False)
        self.key, self._make = key, make
        self.lay_out()

    def rows(self, width: int, height: int) -> Sequence[Row]:
        """All of it; a blank keeps it off the scroll bar."""
        return self._make(width - 1) if self._make is not None else ()

    def action_origin(self) -> None:
        """Ask for the turn."""
        self.post_message(self.OriginRequested())

    def action_copy(self) -> None:
        """Copy all of it."""
        if self._make is not None:
            self.app.copy_to_clipboard(text_of(self._make(self.scrollable_content_region.width)))
            self.notify("Copied.")
