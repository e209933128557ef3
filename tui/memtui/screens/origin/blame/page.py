"""The lines of a file with their turns: a text with a cursor, of which only what is on the screen is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.geometry import Offset

from memtui.render.rows import Line, Row, row, wrap
from memtui.screens.origin.blame.gutter import Gutter, LineRun
from memtui.screens.pager import RowFinder
from memtui.system import clock
from memtui.widgets.lines.view import LineView
from memtui_core.index.files import BlamedLine


class BlameText:
    """The `LineSource` of a file: the key of a line is its index. A line that is too long is cut."""

    indent = 0

    def __init__(self) -> None:
        self.rows: Sequence[Row] = ()
        self.notice: Sequence[Row] = ()
        """What is shown in the place of a file that cannot be."""
        self.finder = RowFinder()
        self.cursor = 0
        self._gutter = Gutter(0, (), clock.now())
        self._width = 0

    def show(self, rows: Sequence[Row], lines: Sequence[BlamedLine]) -> None:
        """Take the rows of a file, and who wrote them; `lines` is empty while that is read."""
        self.rows = rows
        self._gutter = Gutter(len(rows), lines, clock.now())

    @property
    def runs(self) -> Sequence[LineRun]:
        """The runs of the file; none before they are known."""
        return self._gutter.runs

    @property
    def run(self) -> LineRun | None:
        """The run with the cursor."""
        return self._gutter.run_at(self.cursor)

    @property
    def height(self) -> int:
        """The number of lines."""
        return len(self.rows) or len(self.notice)

    def lay_out(self, width: int, height: int) -> None:
        """Take the width; lines are made when they are drawn."""
        self._width = width

    def keyed_line(self, y: int) -> tuple[int, Line | None]:
        """The index and the line at a position."""
        if not self.rows:
            lines = wrap(self.notice, self._width)
            return (y, lines[y]) if y < len(lines) else (len(lines), None)
        return (y, self._line(y)) if y < len(self.rows) else (len(self.rows), None)

    def selected(self, start: Offset, end: Offset) -> Iterator[tuple[Line, int, int]]:
        """The selected lines, each with its first selected character and the end."""
        for y in range(start.y, min(end.y + 1, len(self.rows))):
            line = self._line(y)
            yield line, start.x if y == start.y else 0, end.x if y == end.y else len(line.text)

    def _line(self, y: int) -> Line:
        chosen = self.run.turn if self.run is not None else None
        own = replace(self.finder.marked_row(y, self.rows[y]), first=self._gutter.spans(y, self._width, chosen))
        line = replace(wrap([own], self._width)[0], row=y)
        if y != self.cursor:
            return line
        return replace(line, spans=tuple((text, f"{style} at-cursor") for text, style in line.spans), fill="at-cursor")


class BlamePage(LineView):
    """Shows a file; `moved` is called when the cursor is on another line, `opened` when one is opened by the mouse."""

    HELP: ClassVar[str] = """\
## Who wrote each line

Before the lines stands the turn that wrote them: a bracket `╭` `│` `╰` holds lines in a row of one turn, all lines of
the turn under the cursor are marked, and `┆` stands where only a commit proves it. `unknown` is what nothing proves:
what you typed, and what is older than the first edit that memtui knows.

The pane below, or at the right, says why the lines are there: the request, what the agent said before the edit (what
it thought, if it said nothing), what was checked then, and the edit. `enter` opens the turn at the edit, `n` and `N` go
to the next and the previous block, which is what a bracket holds, or from match to match of a find; `i` hides the pane,
and `tab` goes there.
"""
    DEFAULT_CSS = """
    BlamePage {
        & > .lines--at-cursor { background: $primary 25%; }
        &:ansi > .lines--at-cursor { color: ansi_default; background: ansi_default; text-style: reverse; }
        &:nocolor > .lines--at-cursor { text-style: reverse; }
    }
    """

    def __init__(self, moved: Callable[[], None], opened: Callable[[], None]) -> None:
        self.file = BlameText()
        super().__init__(self.file, id="blame-page")
        self._moved = moved
        self._opened = opened

    def show(self, rows: Sequence[Row], lines: Sequence[BlamedLine]) -> None:
        """Show a file, or who wrote it; the cursor stays."""
        self.file.show(rows, lines)
        self.file.cursor = min(self.file.cursor, max(0, len(rows) - 1))
        self.lay_out()

    def say(self, texts: Sequence[str]) -> None:
        """Show texts in the place of a file."""
        self.file.rows, self.file.notice = (), [row(text) for text in texts]
        self.lay_out()

    def go_to(self, index: int, *, centred: bool = False) -> None:
        """Move the cursor to a line; `centred` to have lines around it, where it was out of sight."""
        index = max(0, min(index, len(self.file.rows) - 1))
        has_moved, self.file.cursor = index != self.file.cursor, index
        top = round(self.scroll_y)
        if centred and not top <= index < top + self.page:
            self.scroll_to(y=max(0, index - self.page // 3), animate=False, force=True)
        else:
            self.scroll_to_line(index)
        self.refresh()
        if has_moved:
            self._moved()

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self.scroll_to_line(self.file.cursor)

    def step_run(self, direction: int) -> bool:
        """Go to the next block, lines in a row of one turn, or the previous one; False if there is none."""
        runs, run = self.file.runs, self.file.run
        if run is None:
            return False
        at = runs.index(run)
        others = runs[at + 1 :] if direction > 0 else runs[:at][::-1]
        other = next((other for other in others if other.turn is not None), None)
        if other is not None:
            self.go_to(other.first, centred=True)
        return other is not None

    # -- keys and the mouse --------------------------------------------------------------------------------------

    def action_scroll(self, count: int) -> None:
        """Move the cursor by lines."""
        self.go_to(self.file.cursor + count)

    def action_half(self, direction: int) -> None:
        """Move the cursor by half a page."""
        self.go_to(self.file.cursor + direction * max(1, self.page // 2))

    def action_page(self, direction: int) -> None:
        """Move the cursor by a page."""
        self.go_to(self.file.cursor + direction * max(1, self.page - 1))

    def action_end(self, last: int) -> None:
        """Go to the first or the last line."""
        self.go_to(len(self.file.rows) - 1 if last else 0)

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to a line; a double click opens its turn."""
        at = event.get_content_offset(self)
        if at is None or self.text_selection is not None:
            return
        self.go_to(round(self.scroll_y) + at.y)
        if event.chain > 1:
            self._opened()

    def text_select_all(self) -> None:
        """Do nothing: a double click opens a turn."""

    # -- the find ------------------------------------------------------------------------------------------------

    def find(self, text: str) -> None:
        """Mark a text and go to its first match from the cursor on; a blank text ends the find."""
        self.file.finder.search_for(text, self.file.rows, self.file.cursor)
        self._show_match()

    def step_match(self, direction: int) -> None:
        """Go to the next match (1) or the previous one (-1)."""
        self.file.finder.step(direction)
        self._show_match()

    def leave_find(self, *, keep: bool) -> None:
        """Go back to the text from the bar; `keep` if the matches stay marked."""
        if not keep:
            self.find("")
        self.focus()

    def _show_match(self) -> None:
        place = self.file.finder.place
        if place is not None and place[0] != self.file.cursor:
            self.go_to(place[0], centred=True)
        else:
            self.refresh()
            self._moved()
