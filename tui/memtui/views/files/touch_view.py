"""The text of what a turn did to a file: a diff, or the lines that were read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.content import Content

from memtui.render.rows import Row
from memtui.widgets.lines.row_lines import RowLines
from memtui.widgets.lines.view import LineView


class TouchView(LineView):
    """Shows rows that were made in a thread; its keys are also those of the pane that it is in."""

    HELP: ClassVar[str] = """\
## Diff

What the chosen turn did to the file: `+` added and `−` removed lines, with the changed words marked, the line numbers
if they are known, and the function or section of each change. Of a read the lines that it returned.

`{` and `}` go to the previous and the next edit in time, `0` to the first one; `enter` reads the turn, `v` shows the
content of the file after it, `y` copies the diff as a patch, `o` opens the file in your editor, and `esc` goes back to
the list of turns.
"""
    DEFAULT_CSS = """
    TouchView {
        & > .lines--hunk { color: $text-secondary; text-style: italic; }
        & > .lines--added-line { background: $success 12%; }
        & > .lines--removed-line { background: $error 12%; }
        & > .lines--added-word { background: $success 28%; text-style: bold; }
        & > .lines--removed-word { background: $error 28%; text-style: bold; }
        &:ansi > .lines--added-line, &:ansi > .lines--removed-line { background: ansi_default; }
        &:ansi > .lines--added-word, &:ansi > .lines--removed-word { background: ansi_default; }
        &:ansi > .lines--added-word, &:ansi > .lines--removed-word { text-style: bold underline; }
    }
    """

    def __init__(self) -> None:
        super().__init__(RowLines(self._lay_out_rows), id="touch")
        self._rows: Sequence[Row] = ()

    def show(self, title: Content, subtitle: str, rows: Sequence[Row]) -> None:
        """Show rows from the first one on."""
        self.border_title, self.border_subtitle = title, Content(subtitle)
        if rows is not self._rows:
            self._rows = rows
            self.scroll_to(y=0, animate=False, force=True)
            self.lay_out()

    @property
    def text(self) -> str:
        """All text without decoration."""
        return "\n".join(row.text for row in self._rows)

    def _lay_out_rows(self, width: int, height: int) -> Sequence[Row]:
        return self._rows
