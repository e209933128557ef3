"""Rows of changes of files, in the colours of diffs."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from memtui.render.rows import Row
from memtui.widgets.lines.row_lines import RowLines
from memtui.widgets.lines.view import LineView


class DiffView(LineView):
    """Shows rows that were made in a thread, under a title."""

    DEFAULT_CSS = """
    DiffView {
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

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(RowLines(self._lay_out_rows), id=id)
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
