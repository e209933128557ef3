"""The pager: one long text on the whole screen."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content

from memtui.keys.declarations import HELP_KEY, Key, keys
from memtui.render.marks import Pattern, mark, pattern
from memtui.render.rows import Row, line_of
from memtui.screens.dialog import Dialog
from memtui.widgets.find_bar import FindBar, match_text
from memtui.widgets.lines.row_lines import RowLines
from memtui.widgets.lines.view import LineView
from memtui.widgets.requests.panes import CopyRequested, EditorRequested


class RowFinder:
    """The matches in rows; a transcript, which is loaded turn by turn, has `MatchFinder`."""

    def __init__(self) -> None:
        self.pattern: Pattern | None = None
        self.current = 0
        """The number of the current match, from 1; 0 if there is none."""
        self._places: list[tuple[int, int]] = []
        """The row and the character of each match."""

    @property
    def total(self) -> int:
        """The number of matches."""
        return len(self._places)

    @property
    def place(self) -> tuple[int, int] | None:
        """The row and the character of the current match; None if there is none."""
        return self._places[self.current - 1] if self.current else None

    def search_for(self, text: str, rows: Sequence[Row], first: int) -> None:
        """Find a text in rows; the first match from row number `first` on is the current one, or else the first."""
        self.pattern = search = pattern([text])
        self._places = (
            [(index, match.start()) for index, row in enumerate(rows) for match in search.finditer(row.text)]
            if search is not None
            else []
        )
        numbers = (number for number, (row, _) in enumerate(self._places, 1) if row >= first)
        self.current = next(numbers, min(1, self.total))

    def step(self, direction: int) -> None:
        """Go to the next match or the previous one, from the last to the first."""
        if self._places:
            self.current = (self.current - 1 + direction) % self.total + 1

    def marked(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows with all matches marked."""
        return mark(rows, self.pattern, self.current - 1) if self.pattern is not None else rows

    def marked_row(self, index: int, row: Row) -> Row:
        """The row with an index with its matches marked."""
        if self.pattern is None:
            return row
        return mark([row], self.pattern, self.current - 1 - bisect_left(self._places, (index, 0)))[0]


class Pages(LineView):
    """The text of a pager, rendered for the width of the screen."""

    HELP: ClassVar[str] = """\
## Full screen

`j`, `k`, `space`, `g` and `G` scroll, `f` or `/` finds a text, `n` and `N` go from match to match, `y` copies the text,
`o` opens the file in your editor, `esc` goes back.
"""

    def __init__(self, make: Callable[[int], Sequence[Row]], key_hints: Sequence[str]) -> None:
        """`key_hints` stand in the border, behind the current match and the keys to find."""
        text = RowLines(self.rows)
        super().__init__(text, id="pages")
        self._text = text
        self._make = make
        self._made: tuple[int, Sequence[Row]] = (0, ())
        """The width for which the rows were made last, and the rows."""
        self.finder = RowFinder()
        self._key_hints = key_hints
        self._set_subtitle()

    def rows(self, width: int, height: int) -> Sequence[Row]:
        """All rows for a width, with the matches marked."""
        return self.finder.marked(self._rows(width))

    def _rows(self, width: int) -> Sequence[Row]:
        if self._made[0] != width:
            self._made = width, self._make(width)
        return self._made[1]

    def find(self, text: str) -> None:
        """Mark a text and go to its first match from the top of the screen on; a blank text ends the find."""
        lines = self._text.lines
        top = lines[min(round(self.scroll_y), len(lines) - 1)].row if lines else 0
        self.finder.search_for(text, self._rows(self.scrollable_content_region.width), top)
        self._show_match()

    def step_match(self, direction: int) -> None:
        """Go to the next match (1) or the previous one (-1)."""
        self.finder.step(direction)
        self._show_match()

    def _show_match(self) -> None:
        self.lay_out()
        if (place := self.finder.place) is not None:
            line, top = line_of(self._text.lines, *place), round(self.scroll_y)
            if not top <= line < top + self.page:
                self.scroll_to(y=max(0, line - self.page // 3), animate=False)
        self._set_subtitle()

    def _set_subtitle(self) -> None:
        """Show the current match, and the keys."""
        finder = self.finder
        found = (match_text(finder.current, finder.total), "esc end") if finder.pattern else ("esc back", "f find")
        self.border_subtitle = " · ".join((*found, *self._key_hints))

    def leave_find(self, *, keep: bool) -> None:
        """Go back to the text from the bar; `keep` if the matches stay marked."""
        if not keep:
            self.find("")
        self.focus()


class PagerScreen(Dialog[EditorRequested | None]):
    """Shows rows under a title; its result is a request to open the editor, or None."""

    CSS = """
    PagerScreen { background: $background; }
    Pages { border: round $accent; background: transparent; }
    Pages { border-title-color: $accent; border-subtitle-color: $text-muted; }
    """
    BINDINGS = keys(
        "full screen",
        Key("escape", "back", "Back", "End the find, or go back", "pager.back", show=True),
        Key("q,v", "leave", "Leave", "Go back", "pager.leave"),
        Key("f,slash,ctrl+f", "find", "Find", "Find in this text", "pager.find", show=True),
        Key("n", "match(1)", "Match", "Go to the next match", "pager.match-down"),
        Key("N", "match(-1)", "Previous match", "Go to the previous match", "pager.match-up"),
        Key("y", "copy", "Copy", "Copy the text", "pager.copy", synonyms="clipboard yank", show=True),
        Key("o", "edit", "Editor", "Open the file in your editor", "pager.edit", synonyms="editor vim open", show=True),
        HELP_KEY,
    )

    def __init__(
        self, title: str, make: Callable[[int], Sequence[Row]], text: str, editor: EditorRequested | None = None
    ) -> None:
        super().__init__()
        self._pages = Pages(make, ("y copy", "o editor") if editor is not None else ("y copy",))
        self._pages.border_title = Content(title)
        self._bar = FindBar("text", self._pages, id="pager-find")
        self._text = text
        self._editor = editor

    def compose(self) -> ComposeResult:
        """The text, and the bar for a text to find."""
        yield self._pages
        yield self._bar

    def action_find(self) -> None:
        """Open the bar to find a text."""
        self._bar.open()

    def action_match(self, direction: int) -> None:
        """Go to the next match (1) or the previous one (-1)."""
        self._pages.step_match(direction)

    def action_back(self) -> None:
        """End the find, or go back."""
        if self._pages.finder.pattern is not None:
            self._pages.find("")
        else:
            self.dismiss(None)

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
