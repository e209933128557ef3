"""The text of a row of the session tree."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from rich.cells import cell_len

from memtui.views.sessions.columns import columns
from memtui.views.sessions.items import TreeItem
from memtui.views.sessions.labels import label_parts
from memtui.widgets.requests.pane_widths import Share
from memtui.wording.formatting import cut

SHARE: Final = Share(0.33)
"""The part of the width that the view of the tree gets."""
GUIDE_DEPTH: Final = 2
"""Cells of the lines before a row, for each of its ancestors."""


def arrow(*, can_expand: bool, is_expanded: bool) -> str:
    """The sign of a row that can be folded and unfolded; blanks for others."""
    return ("▾ " if is_expanded else "▸ ") if can_expand else "  "


def row_text(
    item: TreeItem, parent: TreeItem | None, sign: str, depth: int, width: int, now: datetime, *, shows_agent: bool
) -> tuple[str, str]:
    """The left part of a row with its `arrow`, up to the right part, and that: the columns.

    `depth` is the number of its ancestors, `width` that of the tree in cells.
    """
    mark, title, rest = label_parts(item, parent, now, shows_agent=shows_agent)
    right = columns(item, width, now)
    room = max(12, width - 2 - GUIDE_DEPTH * depth)
    left = f"{sign}{mark}{cut(title, max(4, room - cell_len(sign + mark + rest + right) - 1))}{rest}"
    return left + " " * max(1, room - cell_len(left) - cell_len(right)), right
