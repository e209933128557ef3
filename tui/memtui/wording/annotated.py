"""How what the user has added to a session or a turn is written in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from memtui.wording.formatting import cut

PIN: Final = "★ "
"""Before the title of what is pinned."""
NOTE: Final = "¶ "
"""Before a note of the user."""
ARCHIVED: Final = "archived"


class HasTagsAndNotes(Protocol):
    """A session, a turn or a hit."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The user's tags."""

    @property
    def notes(self) -> tuple[str, ...]:
        """The user's notes."""


def tags_text(tags: Sequence[str]) -> str:
    """The tags, each with its mark: `#release #later`."""
    return " ".join(f"#{tag}" for tag in tags)


def first_line(note: str) -> str:
    """The first line of a note, which ends in `…` if there are more."""
    first, *rest = [line.strip() for line in note.splitlines() if line.strip()] or [""]
    return f"{first} …" if rest else first


def added_text(of: HasTagsAndNotes, width: int, *, archived: bool = False) -> str:
    """Tags, and the first line of the first note, in a width; empty if there is too little room for a word of them."""
    note = f"{NOTE}{first_line(of.notes[0])}" if of.notes else ""
    text = "  ".join(filter(None, (ARCHIVED if archived else "", tags_text(of.tags), note)))
    return cut(text, width) if width >= _LEAST else ""


_LEAST: Final = 6
"""Cells for which a part of a text says anything."""
