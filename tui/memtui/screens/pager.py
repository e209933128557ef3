"""The pager: one long text on the whole screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen

from memtui.keys import HELP_KEYS
from memtui.render.rows import Row
from memtui.requests import CopyRequested, EditorRequested
from memtui.widgets.line_view import LineView
from memtui.widgets.row_lines import RowLines


class Pages(LineView):
    """The text of a pager, rendered for the width of the screen."""

    HELP: ClassVar[str] = """\
## Full screen

`j`, `k`, `space`, `g` and `G` scroll, `y` copies the text, `o` opens the file in your editor, `esc` goes back.
"""

    def __init__(self, make: Callable[[int], Sequence[Row]]) -> None:
        super().__init__(RowLines(self.rows), id="pages")
        self._make = make

    def rows(self, width: int, height: int) -> Sequence[Row]:
        """All rows for a width."""
        return self._make(width)


class PagerScreen(ModalScreen[EditorRequested | None]):
    """Shows rows under a title; its result is a request to open the editor, or None."""

    CSS = """
    PagerScreen { background: $background; }
    Pages { border: round $accent; background: transparent; }
    Pages { border-title-color: $accent; border-subtitle-color: $text-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,v", "leave", "Back", tooltip="Go back", id="pager.leave"),
        Binding("y", "copy", "Copy", tooltip="Copy the text", id="pager.copy"),
        Binding("o", "edit", "Editor", tooltip="Open the file in your editor", id="pager.edit"),
        HELP_KEYS,
    ]

    def __init__(
        self, title: str, make: Callable[[int], Sequence[Row]], text: str, editor: EditorRequested | None = None
    ) -> None:
        super().__init__()
        self._pages = Pages(make)
        self._pages.border_title = Content(title)
        self._pages.border_subtitle = "esc back · y copy" + (" · o editor" if editor is not None else "")
        self._text = text
        self._editor = editor

    def compose(self) -> ComposeResult:
        """The text."""
        yield self._pages

    def action_leave(self) -> None:
        """Go back."""
        self.dismiss(None)

    def action_copy(self) -> None:
        """Copy the text as it was before it was rendered."""
        self.post_message(CopyRequested(self._text, "The text"))

    def action_edit(self) -> None:
        """Go back and open the file in the editor."""
        if self._editor is None:
            self.notify("There is no file to open.")
        else:
            self.dismiss(self._editor)
