"""How what the user has added to a session or a turn is written in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from memtui.wording.formatting import cut
from memtui_core.model import Hit, Session, Turn

PIN: Final = "★ "
"""Before the title of what is pinned."""
_ARCHIVE: Final = "⊟ "
"""Before the title of an archived session."""
NOTE: Final = "¶ "
"""Before a note of the user."""
ARCHIVED: Final = "archived"
_LEAST: Final = 8
"""Cells for which the beginning of a text says anything."""


def signs(of: Session | Hit) -> str:
    """What stands before the title of something that is pinned or archived."""
    return (PIN if of.pinned else "") + (_ARCHIVE if of.archived else "")


def tags_text(tags: Sequence[str]) -> str:
    """The tags, each with its mark: `#release #later`."""
    return " ".join(f"#{tag}" for tag in tags)


def first_line(note: str) -> str:
    """The first line of a note, which ends in `…` if there are more."""
    first, *rest = [line.strip() for line in note.splitlines() if line.strip()] or [""]
    return f"{first} …" if rest else first


def added_text(of: Session | Hit | Turn, width: int) -> str:
    """Tags, and the first line of the first note, in a width: as much as there is room for, and no less than a word."""
    text = ""
    for part in (tags_text(of.tags), f"{NOTE}{first_line(of.notes[0])}" if of.notes else ""):
        joined = f"{text}  {part}" if text and part else part or text
        room = width - cell_len(joined) + cell_len(part)
        if part and room >= min(_LEAST, cell_len(part)):
            text = cut(joined, width)
    return text
