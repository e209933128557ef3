"""The kinds of a review's items in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from memtui.formatting import plural

if TYPE_CHECKING:
    from memtui_core.compaction import FactKind

WORDS: Final[dict[FactKind, str]] = {
    "contradiction": "wrong",
    "check": "check",
    "correction": "correction",
    "rule": "rule",
    "request": "request",
    "answer": "your answer",
    "decision": "decision",
    "caveat": "caveat",
    "open": "open item",
    "conclusion": "conclusion",
    "edited": "edited file",
    "failed": "failed",
    "error": "error",
    "command": "command",
    "url": "link",
    "file": "file",
    "identifier": "name",
    "read": "read file",
}
"""The word in front of a row, the most important kind first."""
WIDTH: Final = max(map(len, WORDS.values())) + 1
"""Cells of the word and the blank after it."""
DETAILS: Final[frozenset[FactKind]] = frozenset({"command", "url", "file", "identifier", "read"})
"""The kinds whose items stand in one row that can be unfolded: single ones say little."""
DETAILS_IF_KEPT: Final[frozenset[FactKind]] = DETAILS | {"edited"}
"""The same for what a summary contains."""
COLOURS: Final[dict[FactKind, str]] = {
    **dict.fromkeys(("contradiction", "check", "failed", "error"), "$text-error"),
    **dict.fromkeys(("correction", "rule", "request", "answer"), "$text-accent"),
    **dict.fromkeys(("decision", "caveat", "open", "conclusion"), "$text-warning"),
}
_NOUNS: Final[dict[FactKind, tuple[str, str]]] = {
    "contradiction": ("wrong claim", "wrong claims"),
    "check": ("open check", "open checks"),
    "answer": ("answer of yours", "answers of yours"),
    "failed": ("failed command", "failed commands"),
    "file": ("mentioned file", "mentioned files"),
    "read": ("file read", "files read"),
}
_MOST_COUNTS: Final = 4
"""Kinds that are counted in a sentence; the other items are summed up."""


def counted(kind: FactKind, count: int) -> str:
    """A number of items of a kind: `2 decisions`, `12 files read`."""
    one, many = _NOUNS.get(kind, (WORDS[kind], f"{WORDS[kind]}s"))
    return plural(count, one, many)


def counts(kinds: Mapping[FactKind, int]) -> list[str]:
    """How many items of each kind, the most important kind first: `3 rules`, `1 open check`."""
    return [counted(kind, kinds[kind]) for kind in WORDS if kinds.get(kind)]


def missing(kinds: Iterable[FactKind]) -> str:
    """What is wrong in a summary and what it does not contain: `2 decisions and 1 check are not in the summary`.

    Details are counted only if nothing else is missing.
    """
    number = Counter(kinds)
    wrong = number.pop("contradiction", 0)
    said = Counter({kind: count for kind, count in number.items() if kind not in DETAILS}) or number
    parts = counts(said)
    if len(parts) > _MOST_COUNTS + 1:
        shown = [kind for kind in WORDS if said[kind]][:_MOST_COUNTS]
        parts = [*parts[:_MOST_COUNTS], f"{said.total() - sum(said[kind] for kind in shown)} more"]
    if not parts:
        lack = "" if wrong else "nothing is missing from the summary"
    else:
        listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
        lack = f"{listed} {'is' if said.total() == 1 else 'are'} not in the summary"
    claim = f"{plural(wrong, 'claim of the summary is', 'claims of the summary are')} wrong" if wrong else ""
    return "; ".join(filter(None, (claim, lack)))
