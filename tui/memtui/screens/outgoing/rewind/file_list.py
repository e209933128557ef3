"""The files that a session knew at a turn, and how they are now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual.content import Content

from memtui.screens.outgoing.rewind.since_text import changes, facts
from memtui.widgets.row_list import ListRow, RowList
from memtui.wording.formatting import cut, fitted
from memtui.wording.path_text import middle_cut

if TYPE_CHECKING:
    from memtui_core.index.handoffs import FileSince

_STATE: Final = 11
"""Cells of the state and the blanks after it."""
_STYLES: Final = {"changed": "$text-warning", "deleted": "$text-error", "unknown": "dim", "unchanged": "dim"}


class SinceList(RowList):
    """A row for each file, the changed ones first."""

    HELP: ClassVar[str] = """\
## Rewind

A new session of the same agent that ends at a turn of this one, so that the agent knows what it knew there and nothing
of what came later. This session stays as it is. `#` ends it before or after the turn, `w` writes it, and then shows the
command that resumes it.

The list has the files that the session had read or written until then: changed since, deleted, unknown if what the
session knew of it does not tell, or unchanged. They stay as they are. `enter` shows how a file has changed.
"""

    def __init__(self, open_file: Callable[[FileSince], None]) -> None:
        super().__init__(id="since")
        self._open = open_file
        self._files: Sequence[FileSince] = ()

    def show(self, files: Sequence[FileSince]) -> None:
        """Show files."""
        self._files = files
        self.fill(self.chosen)

    def rows(self, width: int) -> Sequence[ListRow]:
        """The state of each file, its path, its lines, and what else is known."""
        counts = [changes(file) for file in self._files]
        column = max(map(cell_len, counts), default=0)
        return [
            ListRow(file.path, _row(file, count, column, width))
            for file, count in zip(self._files, counts, strict=True)
        ]

    def choose(self, index: int, *, read: bool) -> None:
        """Show how the file has changed."""
        if read:
            self._open(self._files[index])


def _row(file: FileSince, count: str, column: int, width: int) -> Content:
    about = facts(file)
    room = max(8, width - _STATE - (column + 2 if column else 0))
    place = middle_cut(
        file.path, max(8, min(cell_len(file.path), room - (min(cell_len(about), room // 2) + 2) * bool(about)))
    )
    about = cut(about, room - cell_len(place) - 2) if about else ""
    gap = " " * (room - cell_len(place) - cell_len(about) - 2 * bool(about))
    return Content.assemble(
        (fitted(file.state, _STATE), _STYLES[file.state]),
        (place, "bold" if file.state in {"changed", "deleted"} else ""),
        ("  " if about else "", ""),
        (about, "dim"),
        gap,
        f"  {count:>{column}}" if column else "",
    )
