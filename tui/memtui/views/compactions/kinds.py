"""The kinds of a review's items in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from memtui.render.clean import clean
from memtui.wording.formatting import cut, number, ordinal, plural
from memtui_core.index.compactions import CLAIMED, DETAILS
from memtui_core.text.markdown.plain import plain_line

if TYPE_CHECKING:
    from memtui_core.index.compactions import FactKind, Review

WORDS: Final[dict[str, str]] = {
    "contradiction": "check",
    "check": "check",
    "correction": "correction",
    "rule": "your rule",
    "answer": "your answer",
    "requirement": "requirement",
    "assumption": "unverified",
    "question": "unanswered",
    "caveat": "caveat",
    "finding": "finding",
    "rejected": "rejected",
    "request": "request",
    "decision": "decision",
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
"""The word in front of a row. A claim of the summary against which something speaks is to be checked, not called wrong:
too few of these rows are known from real sessions to promise that all are right."""
WIDTH: Final = max(map(len, WORDS.values())) + 1
"""Cells of the word and the blank after it."""
COLOURS: Final[dict[FactKind, str]] = {
    **dict.fromkeys(("contradiction", "check", "failed", "error"), "$text-error"),
    **dict.fromkeys(("correction", "rule", "request", "answer"), "$text-accent"),
    **dict.fromkeys(
        ("requirement", "assumption", "question", "caveat", "finding", "rejected", "decision", "open", "conclusion"),
        "$text-warning",
    ),
}
_NOUNS: Final[dict[FactKind, tuple[str, str]]] = {
    "failed": ("failed command", "failed commands"),
    "file": ("mentioned file", "mentioned files"),
    "read": ("file read", "files read"),
}
_MOST_NAMED: Final = 2
"""Items that a headline names."""
_LONGEST_QUOTE: Final = 64
"""Cells of the words of an item in a headline."""


class LostText(Protocol):
    """Something that a summary lacks: its kind and its words."""

    @property
    def kind(self) -> str:
        """A `FactKind`."""
        ...

    @property
    def text(self) -> str:
        """One line."""
        ...


def counted(kind: FactKind, count: int) -> str:
    """A number of details of a kind: `2 edited files`, `12 files read`."""
    one, many = _NOUNS.get(kind, (WORDS[kind], f"{WORDS[kind]}s"))
    return plural(count, one, many)


def counts(kinds: Mapping[FactKind, int]) -> list[str]:
    """How many details of each kind, the most important kind first: `3 edited files`, `1 link`."""
    return [counted(kind, kinds[kind]) for kind in DETAILS if kinds.get(kind)]


def plain_item(item: LostText) -> str:
    """The words of an item on one line without markup; those of files, commands and the like as they are."""
    if item.kind in DETAILS:
        return " ".join(clean(item.text).split())
    return plain_line(clean(item.text), is_prose=item.kind not in {"contradiction", "check"})


def named(item: LostText, width: int = _LONGEST_QUOTE) -> str:
    """An item in some words: `your rule “Round half to even”`, `mix credo failed (it says otherwise)`."""
    text = plain_item(item)
    if item.kind == "contradiction":
        return f"{cut(text.partition(CLAIMED)[0].partition(': ')[0], width)} (it says otherwise)"
    if item.kind == "check":
        return cut(text.partition(": ")[0], width)
    return f"{WORDS[item.kind]} “{cut(text, width)}”"


BEFORE_FORK: Final = "before the fork"
"""What follows the turn of an item that is in the session of which this one is a fork."""


def already_lost(compaction: int) -> str:
    """That the summary of an earlier compaction, by its number, lacks something already."""
    return f"already lost at the {ordinal(compaction)} compaction"


def missing(main: Sequence[LostText], others: int = 0, known: int = 0) -> str:
    """What a summary lacks and what matters, in words.

    `others` is the number of further items that were said, `known` that of the items that the user knows.
    """
    if not main:
        nothing = "nothing else" if known else "nothing"
        return f"{nothing} that surely matters is missing" if others else f"{nothing} is missing from the summary"
    names = [named(item) for item in main[:_MOST_NAMED]]
    more = len(main) - len(names)
    return f"not in the summary: {'; '.join(names)}{f' and {number(more)} more' if more else ''}"


def without_summary(review: Review) -> str:
    """What is known of the summary of a compaction that has none to read."""
    if review.is_encrypted:
        return "The summary is encrypted: only the model can read it."
    return "The transcript has no summary that can be read."


def missing_facts(review: Review) -> str:
    """What the summary lacks, as a clause."""
    if not (review.lost or review.kept or review.known):
        return "there was nothing to keep"
    return missing(review.main, len(review.others), len(review.known))
