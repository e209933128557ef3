"""The values of a review: its items and the sections of the summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import takewhile
from operator import itemgetter
from typing import Final, Literal, get_args

from memtui_core.compaction.links import SummaryLinks
from memtui_core.model import Span, Turn
from memtui_core.queries.main_items import DETAILS, MAIN_WEIGHT, MOST_MAIN

FactKind = Literal[
    "contradiction", "check", "correction", "rule", "answer", "requirement", "assumption", "question", "caveat",
    "finding", "rejected", "request", "decision", "open", "conclusion",
    "edited", "failed", "error", "command", "url", "file", "identifier", "read",
]  # fmt: skip
"""What was said: contradiction: something of which the summary says the opposite; check: one that failed or is older
than the last edits; correction, rule, request: of the user; answer: of the user to a question; requirement: a rule of a
plan, a task or a specification; assumption: something that the agent took for granted or did not verify; question: one
that nobody answered; caveat, decision, open item, conclusion: of the agent; finding: a conclusion that refutes or
stresses something; rejected: an option that was not taken. What was done: edited and read: files; command: a command
that ran, failed: one that ended with an error; error: the result of a failed tool call; file: one that is often named
and was neither edited nor read; identifier: another recurring name."""
SAID: Final[frozenset[FactKind]] = frozenset(kind for kind in get_args(FactKind) if kind not in DETAILS)
"""The kinds of what was said; the others are details."""
_ORDER: Final[tuple[frozenset[FactKind], ...]] = (
    frozenset({"contradiction", "check"}),
    frozenset({"correction", "rule", "answer"}),
    frozenset({"requirement"}),
    frozenset({"assumption", "question", "caveat"}),
    frozenset({"finding"}),
    frozenset({"rejected", "decision"}),
)
"""The kinds in the order in which the items that matter are listed; the others follow."""


def place_of_kind(kind: FactKind) -> int:
    """The place of a kind in the order of the items that matter, 0 for the first."""
    return next((place for place, kinds in enumerate(_ORDER) if kind in kinds), len(_ORDER))


@dataclass(frozen=True, slots=True)
class SummarySection:
    """A part of a summary under a heading."""

    title: str
    level: int
    """1 for the outermost; a section contains the following sections of higher levels."""
    span: Span
    """From its heading to the next section of the same or a lower level."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something of the history that the summary has or lacks."""

    kind: FactKind
    text: str
    line: int
    turn: Turn
    weight: float


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """Something of the history of a compaction, as a review lists it."""

    kind: FactKind
    text: str
    """One line, cut to `TEXT_LENGTH`; a file by its path in the project."""
    line: int
    """Of a statement or check where it stands, of a detail the last one; in `changed_after` the first read after the
    compaction."""
    turn: int
    turns: tuple[int, ...]
    """All turns in which it occurs, in order; in `changed_after` those in which it was read."""
    times: int
    """In how many calls or texts it occurs."""
    weight: float
    rank: int
    """1 for the most important one of its list."""
    session: int
    """`Session.key` of the session of the turn: of a fork, the turns before it are those of another session."""
    dropped_at: int | None = None
    """The number of the earlier compaction, from 1, whose summary has dropped it already; None for this one."""


@dataclass(frozen=True, slots=True)
class Hurt:
    """Something that a summary lost, and what came of it after the compaction."""

    item: ReviewItem
    how: Literal["asked again", "corrected", "you were asked"]
    """asked again: the user said it once more; corrected: in a correction; you were asked: the agent asked for it."""
    turn: int
    """The turn after the compaction, of the review's session."""
    text: str
    """What was said or done then, on one line."""


@dataclass(frozen=True, slots=True)
class Review:
    """A compaction: its summary compared with everything before it."""

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
    """What was said first: what matters (see `main`), then the rest by weight; then what was done."""
    kept: tuple[ReviewItem, ...]
    changed_after: tuple[ReviewItem, ...]
    """Files of the segment that were read again after the compaction, at their first read, in order."""
    hurt: tuple[Hurt, ...]
    """What was lost and then came up again after the compaction, in order."""
    links: SummaryLinks = field(repr=False, compare=False)
    """The links between the summary's sentences and turns, for `linked_turns` and `linked_sentences`."""
    known: tuple[ReviewItem, ...] = ()
    """What the user knows, the last one marked last: it is neither in `lost` nor in what came up again."""

    @property
    def main(self) -> tuple[ReviewItem, ...]:
        """What the summary lacks and what matters, at most `MOST_MAIN` items; the first ones of `lost`."""
        return tuple(takewhile(is_main, self.lost[:MOST_MAIN]))

    @property
    def others(self) -> tuple[ReviewItem, ...]:
        """What was said and the summary lacks, and what may matter less than `main`."""
        return tuple(item for item in self.lost[len(self.main) :] if item.kind in SAID)

    @property
    def details(self) -> tuple[ReviewItem, ...]:
        """What was done and the summary lacks."""
        return tuple(item for item in self.lost if item.kind not in SAID)


def is_main(item: ReviewItem) -> bool:
    """Whether an item is one of those that matter."""
    return item.kind in SAID and item.weight >= MAIN_WEIGHT


def without_known(review: Review, place_of: Callable[[ReviewItem], int | None]) -> Review:
    """A review without the items that the user knows; `place_of` is the place of one among these, else None."""
    places = [(place, item) for item in (*review.lost, *review.changed_after) if (place := place_of(item)) is not None]
    if not places:
        return review
    known = tuple(item for _, item in sorted(places, key=itemgetter(0)))
    return replace(
        review,
        lost=tuple(item for item in review.lost if item not in known),
        changed_after=tuple(item for item in review.changed_after if item not in known),
        hurt=tuple(hurt for hurt in review.hurt if hurt.item not in known),
        known=known,
    )
