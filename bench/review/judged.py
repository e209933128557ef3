"""Compactions of real transcripts that were judged by hand, one file each in `judged/`.

A file was written by reading the whole session before looking at any review: every important thing that the summary
dropped, and some that it says in other words. Rows were judged afterwards, those that reviews list and others: whether
the summary says it, and how much it matters to whoever goes on from the summary alone, with the reason.
Texts of the transcripts are not kept: only ids, lines, a few words that identify a sentence, and digests of rows.

Two readers judged 60 of the rows, each without the verdicts of the other. They agree on 95 % of what matters (kappa
0.74), on 88 % of what is useful (0.76) and on 88 % of what is absent (0.73).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

FOLDER: Final = Path(__file__).parent / "judged"
_LEAST_WORDS: Final = 0.6
"""Share of the words of a dropped thing that a row must have, if nobody has judged the row."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something important that a summary dropped."""

    words: tuple[str, ...]
    weight: int
    """3 for what harms whoever goes on without it, 1 for the least."""

    def is_in(self, text: str) -> bool:
        """Whether a text has most of the words."""
        plain = _plain(text)
        return sum(_plain(word) in plain for word in self.words) >= _LEAST_WORDS * len(self.words)


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """What somebody thought of a row."""

    absent: Literal["yes", "partly", "no"]
    """Whether the summary really does not say it."""
    matter: int
    """2 for what matters: without it one would break a rule, do wrong work or rely on what nobody verified; 1 for what
    is somewhat useful for the open work; 0 for the rest: over, known, a detail, narration, not understandable."""
    items: frozenset[int] = frozenset()
    """The dropped things that it conveys."""
    right: bool = False
    """Of a contradiction, whether the summary really is wrong."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One compaction."""

    name: str
    session: str
    line: int
    """1-based, of the summary."""
    half: str
    """`tune`: rules were set by it; `aside`: judged when the rules were set; `unread`: no rows were judged."""
    dropped: tuple[Dropped, ...]
    rows: dict[str, JudgedRow]
    """By the digest of the row's text."""


def judged_compactions() -> list[Judged]:
    """All judged compactions, by name."""
    return [_judged(path) for path in sorted(FOLDER.glob("*.json"))]


def digest(text: str) -> str:
    """What stands for the text of a row."""
    return hashlib.sha256(_plain(text).encode()).hexdigest()[:12]


def _judged(path: Path) -> Judged:
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return Judged(
        path.stem,
        value["session"],
        value["line"],
        value["half"],
        tuple(Dropped(tuple(item["words"]), item["weight"]) for item in value["dropped"]),
        {row["row"]: _row(row) for row in value["rows"]},
    )


def _row(value: dict[str, Any]) -> JudgedRow:
    return JudgedRow(value["absent"], value["matter"], frozenset(value["items"]), value.get("right", False))


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("*", "").split())
