"""The kinds of facts in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from memtui.formatting import plural

if TYPE_CHECKING:
    from memtui_core.compaction import FactKind, ReviewItem

WORDS: Final[dict[FactKind, str]] = {
    "correction": "correction",
    "request": "request",
    "decision": "decision",
    "edited": "edited file",
    "failed": "failed",
    "error": "error",
    "command": "command",
    "url": "link",
    "file": "file",
    "identifier": "name",
    "read": "read file",
}
"""The word in front of a row."""
WIDTH: Final = max(map(len, WORDS.values())) + 1
"""Cells of the word and the blank after it."""
FOLDED: Final[tuple[FactKind, ...]] = ("command", "url", "file", "identifier", "read")
"""The kinds whose facts stand in one row that can be unfolded: single ones say little."""
FOLDED_IF_KEPT: Final[tuple[FactKind, ...]] = ("edited", *FOLDED)
"""The same for what a summary contains."""
COLOURS: Final[dict[FactKind, str]] = {
    "correction": "$text-error",
    "failed": "$text-error",
    "error": "$text-error",
    "request": "$text-accent",
    "decision": "$text-accent",
}
_NOUNS: Final[dict[FactKind, tuple[str, str]]] = {
    "failed": ("failed command", "failed commands"),
    "file": ("mentioned file", "mentioned files"),
    "read": ("file read", "files read"),
}
_MOST_COUNTS: Final = 4
"""Kinds that are counted in a sentence; the other facts are summed up."""


def counted(kind: FactKind, count: int) -> str:
    """A number of facts of a kind: `2 decisions`, `12 files read`."""
    one, many = _NOUNS.get(kind, (WORDS[kind], f"{WORDS[kind]}s"))
    return plural(count, one, many)


def missing(items: Sequence[ReviewItem]) -> str:
    """What a summary does not contain, as a clause: `2 decisions and 1 command are not in the summary`."""
    counts = Counter(item.kind for item in items)
    parts = [counted(kind, counts[kind]) for kind in WORDS if counts[kind]]
    if len(parts) > _MOST_COUNTS + 1:
        others = sum([counts[kind] for kind in WORDS if counts[kind]][_MOST_COUNTS:])
        parts = [*parts[:_MOST_COUNTS], f"{others} more"]
    if not parts:
        return "nothing is missing from the summary"
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{listed} {'is' if len(items) == 1 else 'are'} not in the summary"
