"""The text of what a turn did to a file: a diff, or the lines that were read."""

from __future__ import annotations

from typing import ClassVar

from memtui.widgets.lines.diff_view import DiffView


class TouchView(DiffView):
    """Its keys are also those of the pane that it is in."""

    HELP: ClassVar[str] = """\
## Diff

What the chosen turn did to the file: `+` added and `−` removed lines, with the changed words marked, the line numbers
if they are known, and the function or section of each change. Of a read the lines that it returned.

`{` and `}` go to the previous and the next edit in time, `0` to the first one; `enter` reads the turn, `v` shows the
content of the file after it, `y` copies the diff as a patch, `o` opens the file in your editor, and `esc` goes back to
the list of turns.
"""

    def __init__(self) -> None:
        super().__init__(id="touch")
