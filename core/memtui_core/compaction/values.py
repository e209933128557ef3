"""What a review of a compaction is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memtui_core.compaction.links import Links
from memtui_core.model import Span

Kind = Literal["correction", "request", "decision", "edited", "failed", "error", "command", "url", "identifier", "read"]
"""request and correction: the person's own; decision: what shall be done or not; edited and read: files; command: one
that was run, failed: one that ended with an error; error: what a tool answered to a call that failed."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a summary under a heading."""

    title: str
    level: int
    """1 for the outermost; a section holds those of higher levels that follow it."""
    span: Span
    """From its heading to the next section of its level or a lower one."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of the segment."""

    kind: Kind
    text: str
    """One line, cut to `TEXT_LENGTH`; a file by its path in the project."""
    line: int
    """Where it came last; of a file that changed after, where it was read first."""
    turn: int
    times: int
    """In how many calls or texts it came."""
    weight: float
    rank: int
    """1 is the heaviest of its list."""


@dataclass(frozen=True, slots=True)
class Review:
    """A compaction: its summary beside the segment that it replaced."""

    session: int
    session_id: str
    title: str
    turn: int | None
    """Number of the summary's turn; None while only the boundary is written: there is nothing to compare then."""
    line: int
    at: datetime | None
    trigger: str | None
    tokens_before: int | None
    summary: str
    outline: tuple[Section, ...]
    sentences: tuple[Span, ...]
    """The sentences, list entries and code blocks of the summary, in order."""
    first_turn: int | None
    """First and last turn of what lies between the compaction before, or the session's start, and this one; None for
    a segment without turns. The summary of the compaction before is the first of them."""
    last_turn: int | None
    turns: int
    lost: tuple[Item, ...]
    kept: tuple[Item, ...]
    changed_after: tuple[Item, ...]
    """Files of the segment that the next one read again, at their first read, in order."""
    links: Links = field(repr=False, compare=False)
    """What ties the summary's sentences to turns; for `turns_of` and `spoken_of`."""

    @property
    def share_kept(self) -> float | None:
        """The weight of what was kept over the weight of all, 0 to 1; None when there was nothing to keep."""
        kept, total = self.weights
        return kept / total if total else None

    @property
    def weights(self) -> tuple[float, float]:
        """The weight of what was kept, and of all."""
        kept = sum(item.weight for item in self.kept)
        return kept, kept + sum(item.weight for item in self.lost)
