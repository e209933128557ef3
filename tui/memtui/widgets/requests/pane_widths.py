"""How the list, the text and the inspector share the width of the terminal.

The classes are named tuples, which are made in a tenth of the time of data classes: the first paint waits for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

Pane = Literal["left", "text", "inspector"]
"""The list of a view; the transcript or the detail pane in its place; the inspector."""
Zoom = Literal["normal", "larger", "full"]
"""The size of the current pane: beside the others, the larger part of the room, or all of it."""
ZOOMS: Final[tuple[Zoom, ...]] = ("normal", "larger", "full")
WidthClass = Literal["narrow", "medium", "wide"]
"""The width of a terminal: one pane at a time; a list with a text; the inspector beside them."""
WIDTH_CLASSES: Final[tuple[tuple[int, WidthClass], ...]] = ((0, "narrow"), (100, "medium"), (128, "wide"))
"""The least width of each class."""

RAIL: Final = 3
"""Width of the rail that stands in the place of the inspector."""
_LINE = 1
"""Width of the line between two panes."""
_LEFT_LEAST, _TEXT_LEAST, _INSPECTOR_LEAST = 20, 40, 28
_OPENS_ITSELF = 160
"""The least width of a terminal in which the inspector opens by itself."""
_TEXT_EASY = 0.38, 84
"""It does so only if the text keeps this fraction of the width, or these cells."""
_TEXT_MOST = 114
"""The widest text that is easy to read, with its margin and scroll bar: the other panes get what is beyond it."""
_INSPECTOR = 0.23
"""The fraction of the width that the inspector gets."""
_OF_MUCH = 0.37
"""The fraction of the width that a list which knows when it has enough gets where the inspector opens by itself."""
_BESIDE_TEXT = 74
"""What such a list leaves in a smaller terminal: a text of 70 cells, the rail and the line."""


class Share(NamedTuple):
    """The part of the width that the list of a view gets."""

    fraction: float
    least: int = 36
    """Cells that the list gets at least, until the user makes it narrower."""
    enough: int | None = None
    """Cells that are enough for it; up to them it gets what a text leaves, and its least beside an inspector.

    From `_OPENS_ITSELF` on it gets `_OF_MUCH` of the width.
    """

    def cells(self, width: int) -> int:
        """The cells of the list, until the user chooses."""
        cells = round(width * self.fraction)
        if self.enough is not None:
            is_roomy = width >= _OPENS_ITSELF
            cells = round(width * _OF_MUCH) if is_roomy else min(self.enough, max(cells, width - _BESIDE_TEXT))
        return max(self.least, cells)


class PaneSizes(NamedTuple):
    """What the user has chosen for a view in terminals of one class of width; None where nothing was chosen."""

    left: float | None = None
    """Fraction of the width for the list."""
    inspector: float | None = None
    """Fraction of the width for the inspector."""
    inspecting: bool | None = None
    """Whether the inspector is open."""

    @classmethod
    def read(cls, stored: Mapping[str, object]) -> PaneSizes:
        """The sizes as they were stored, without unusable values."""
        inspecting = stored.get("inspecting")
        return cls(
            _fraction(stored.get("left")),
            _fraction(stored.get("inspector")),
            inspecting if isinstance(inspecting, bool) else None,
        )


class PaneWidths(NamedTuple):
    """The width of each pane in cells, without the lines between them; 0 hides a pane."""

    left: int = 0
    text: int = 0
    inspector: int = 0
    rail: int = 0


def width_class(width: int) -> WidthClass:
    """The class of a terminal's width."""
    return next(name for least, name in reversed(WIDTH_CLASSES) if width >= least)


def sizes_key(view: str, width: int) -> str:
    """The key in the state file of the sizes that were chosen for a view in terminals as wide as this."""
    return f"{view}-{width_class(width)}"


def arrange(
    width: int,
    share: Share | None,
    sizes: PaneSizes,
    pane: Pane,
    zoom: Zoom,
    *,
    has_details: bool = True,
    is_replaced: bool = False,
) -> PaneWidths:
    """Share a width between the panes; `pane` is the current one.

    Without a `share` the list has the whole width. `has_details` is whether the session has something that only the
    inspector shows, `is_replaced` whether a detail pane, which has no inspector, is in the place of the transcript.
    """
    if share is None:
        return PaneWidths(left=width)
    if is_replaced and pane == "inspector":
        pane = "text"
    if zoom == "full" or width_class(width) == "narrow":
        return PaneWidths(*(width if pane == one else 0 for one in ("left", "text", "inspector")))
    rail = 0 if is_replaced else RAIL
    if zoom == "larger":
        return _with_larger(width, pane, rail)
    inspector = max(_INSPECTOR_LEAST, round(width * _INSPECTOR))
    # Decided by the default widths, so that the inspector stays as it is while a line is dragged.
    left = share.cells(width)
    fraction, cells = _TEXT_EASY
    is_roomy = width >= _OPENS_ITSELF
    opens_itself = is_roomy and width - left - inspector - 2 * _LINE >= min(width * fraction, cells)
    is_open = pane == "inspector" or (opens_itself if sizes.inspecting is None else sizes.inspecting)
    is_open = is_open and width_class(width) == "wide"
    if is_open and not is_roomy and share.enough is not None:
        left = share.least
    if sizes.left is not None:
        left = max(_LEFT_LEAST, round(width * sizes.left))
    if sizes.inspector is not None:
        inspector = max(_INSPECTOR_LEAST, round(width * sizes.inspector))
    inspector = min(inspector, width - 2 * _LINE - _LEFT_LEAST - _TEXT_LEAST)
    side = _LINE + (inspector if is_open else RAIL)
    left = min(left, width - _LINE - _TEXT_LEAST - side)
    spare = width - _LINE - left - side - _TEXT_MOST
    if spare > 0 and sizes.left is None:
        if is_open and sizes.inspector is None:
            inspector += spare // 2
            spare -= spare // 2
        left += spare
    if pane == "inspector" and not is_open:
        return PaneWidths(left, inspector=width - left - _LINE)
    # The list keeps its width when only the session has changed, so that the rows under the cursor do not move.
    if is_open and not is_replaced and (has_details or sizes.inspecting or pane == "inspector"):
        return PaneWidths(left, _rest(width, left, inspector), inspector)
    return PaneWidths(left, _rest(width, left, rail), rail=rail)


def resized(width: int, sizes: PaneSizes, pane: Pane, column: int) -> PaneSizes:
    """The sizes after the line before the text or the inspector was dragged to a column.

    An inspector that becomes too narrow is closed.
    """
    if pane == "inspector":
        cells = width - column - _LINE
        if cells < _INSPECTOR_LEAST // 2:
            return PaneSizes(sizes.left, sizes.inspector, False)
        return PaneSizes(sizes.left, _part(max(cells, _INSPECTOR_LEAST), width), True)
    return PaneSizes(_part(max(column, _LEFT_LEAST), width), sizes.inspector, sizes.inspecting)


def _with_larger(width: int, pane: Pane, rail: int) -> PaneWidths:
    """The current pane with the larger part of the width; beside the inspector, the text has the other half."""
    if pane == "inspector":
        return PaneWidths(text=_rest(width, width // 2, 0), inspector=width // 2)
    left = width * 2 // 3 if pane == "left" else max(_LEFT_LEAST, width // 5)
    return PaneWidths(left, _rest(width, left, rail), rail=rail)


def _rest(width: int, left: int, right: int) -> int:
    """What is left between two panes and the lines beside them."""
    return width - left - _LINE * (left > 0) - right - _LINE * (right > 0)


def _part(cells: int, width: int) -> float:
    return round(min(cells, width - 1) / width, 4)


def _fraction(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 < value < 1 else None  # type: ignore[operator, arg-type]
