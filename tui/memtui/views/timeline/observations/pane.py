"""The detail pane of the timeline: an observation, or a session without a transcript."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.content import Content

from memtui.keys.declarations import Key, keys
from memtui.render.rows import Row
from memtui.views.timeline.keys import OBSERVATION_KEYS, Action, Place
from memtui.views.timeline.observations.rows import text_of
from memtui.widgets.lines.row_lines import RowLines
from memtui.widgets.lines.view import LineView
from memtui.widgets.requests.panes import CopyRequested

if TYPE_CHECKING:
    from memtui.views.timeline.view import TimelineView

RenderRows = Callable[[int], Sequence[Row]]
"""Returns rows for a width in cells."""


class ObservationPane(LineView):
    """Shows rows for its width; it calls the view, which is not among its parents."""

    HELP: ClassVar[str] = """\
## Observation

A note that an agent or you saved. `enter` goes to the turn in which it was saved, `c` changes it, `x` forgets it and
`u` restores it, `a` writes another observation for the same session, `y` copies all of it.
"""
    BINDINGS = keys(
        "observation",
        Key("enter", "request('origin')", "Turn", "Go to the turn in which it was saved", "notes.turn", show=True),
        Key("y", "copy", "Copy", "Copy all of it", "notes.copy", synonyms="clipboard yank"),
        *OBSERVATION_KEYS,
    )

    def __init__(self, view: TimelineView) -> None:
        super().__init__(RowLines(self.rows), id="note")
        self._view = view
        self.key = ""
        """Id of the observation or of the session that is shown."""
        self._render_rows: RenderRows | None = None

    def on_mount(self) -> None:
        """Show the keys that the status line leaves out."""
        self.border_subtitle = "enter turn · c change · x forget · v view"

    def show(self, key: str, title: str, render_rows: RenderRows) -> None:
        """Show rows; the scroll position stays if the key is the same as before."""
        self.border_title = Content(title)
        if key != self.key:
            self.scroll_to(y=0, animate=False)
        self.key, self._render_rows = key, render_rows
        self.lay_out()

    def rows(self, width: int, height: int) -> Sequence[Row]:
        """The rows; a blank separates them from the scroll bar."""
        return self._render_rows(width - 1) if self._render_rows is not None else ()

    def action_request(self, action: Action | Place) -> None:
        """Do what a key does."""
        self._view.perform(action)

    def action_copy(self) -> None:
        """Copy all of it."""
        if self._render_rows is not None:
            text = text_of(self._render_rows(self.scrollable_content_region.width))
            self.post_message(CopyRequested(text, "The text"))
