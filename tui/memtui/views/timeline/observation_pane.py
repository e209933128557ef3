"""What was written down, beside the list: an observation, or a session of which no transcript tells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.message_pump import MessagePump

from memtui.render.rows import Row
from memtui.views.timeline.observation_keys import OBSERVATION_BINDINGS, Action, ObservationRequested
from memtui.views.timeline.observation_rows import text_of
from memtui.widgets.line_view import LineView
from memtui.widgets.row_lines import RowLines

Make = Callable[[int], Sequence[Row]]


class ObservationPane(LineView):
    """Shows rows that are made for the width they get; its messages go to the view that it belongs to."""

    HELP: ClassVar[str] = """\
## Observation

What an agent, or you, wrote down to be remembered. `enter` goes to the turn it comes from, `c` changes it, `x` forgets
it and `u` brings it back, `a` writes another one for the same session, `y` copies all of it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "origin", "Turn", tooltip="Go to the turn it comes from", id="notes.turn"),
        Binding("y", "copy", "Copy", tooltip="Copy all of it", show=False, id="notes.copy"),
        *OBSERVATION_BINDINGS,
    ]

    class OriginRequested(Message):
        """Show the turn in which it was written down."""

    def __init__(self, view: MessagePump, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(RowLines(self.rows), id=id)
        self._view = view
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
        self._view.post_message(self.OriginRequested())

    def action_note(self, action: Action) -> None:
        """Do something with the observation."""
        self._view.post_message(ObservationRequested(action))

    def action_copy(self) -> None:
        """Copy all of it."""
        if self._make is not None:
            self.app.copy_to_clipboard(text_of(self._make(self.scrollable_content_region.width)))
            self.notify("Copied.")
