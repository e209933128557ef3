"""The values of a review: its items and the sections of the summary."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memtui_core.compaction.links import SummaryLinks
from memtui_core.model import Span

FactKind = Literal[
    "correction", "request", "decision", "edited", "failed", "error", "command", "url", "file", "identifier", "read"
]
"""request and correction: of the user; decision: what shall be done or not; edited and read: files; command: a command
that ran, failed: one that ended with an error; error: the result of a failed tool call; file: one that is often named
and was neither edited nor read; identifier: another recurring name."""


@dataclass(frozen=True, slots=True)
class SummarySection:
    """A part of a summary under a heading."""

    title: str
    level: int
    """1 for the outermost; a section contains the following sections of higher levels."""
    span: Span
    """From its heading to the next section of the same or a lower level."""


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A fact of the segment, as a review lists it."""

    kind: FactKind
    text: str
    """One line, cut to `TEXT_LENGTH`; a file by its path in the project."""
    line: int
    """Of the last occurrence; in `changed_after` of the first read after the compaction."""
    turn: int
    turns: tuple[int, ...]
    """All turns in which it occurs, in order; in `changed_after` those in which it was read."""
    times: int
    """In how many calls or texts it occurs."""
    weight: float
    rank: int
    """1 for the highest weight of its list."""


@dataclass(frozen=True, slots=True)
class Review:
    """A compaction: its summary compared with the segment that it replaced."""

    session: int
    session_id: str
    title: str
    turn: int | None
    """Number of the summary's turn; None if the transcript has only the boundary: the review is empty then."""
    line: int
    at: datetime | None
    trigger: str | None
    tokens_before: int | None
    summary: str
    outline: tuple[SummarySection, ...]
    sentences: tuple[Span, ...]
    """The sentences, list entries and code blocks of the summary, in order."""
    first_turn: int | None
    """First and last turn between the previous compaction, or the session's start, and this one; None for a segment
    without turns. The summary of the previous compaction is the first of them."""
    last_turn: int | None
    turns: int
    lost: tuple[ReviewItem, ...]
    kept: tuple[ReviewItem, ...]
    changed_after: tuple[ReviewItem, ...]
    """Files of the segment that were read again after the compaction, at their first read, in order."""
    links: SummaryLinks = field(repr=False, compare=False)
    """The links between the summary's sentences and turns, for `linked_turns` and `linked_sentences`."""

    @property
    def share_kept(self) -> float | None:
        """The weight of the kept items divided by the weight of all, 0 to 1; None if there are no items."""
        kept, total = self.weights
        return kept / total if total else None

    @property
    def weights(self) -> tuple[float, float]:
        """The weight of the kept items, and of all items."""
        kept = sum(item.weight for item in self.kept)
        return kept, kept + sum(item.weight for item in self.lost)
