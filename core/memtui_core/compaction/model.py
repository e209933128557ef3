"""The values of a review: its items, the sections of the summary, and what came up again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
"""The kinds of items.

What was said, which are statements and checks:
- contradiction: the summary says the opposite; check: it failed, or is older than the last edits.
- correction, rule, request: of the user; answer: of the user to a question of the agent.
- requirement: a rule of a plan, a task or a specification.
- assumption: what the agent took for granted or did not verify; caveat, decision, open, conclusion: also of the agent.
- question: nobody answered it; finding: a conclusion that refutes or stresses something.
- rejected: an option that was not taken.

What was done, which are details:
- edited, read: files; command: a command that ran; failed: one that ended with an error.
- error: the result of a failed tool call; url: a web address.
- file: a file that is often named and was neither edited nor read; identifier: another name that recurs.
"""
STATEMENT_KINDS: Final[frozenset[FactKind]] = frozenset(kind for kind in get_args(FactKind) if kind not in DETAILS)
"""The kinds of what was said; all others are kinds of details."""
_MAIN_ORDER: Final[tuple[frozenset[FactKind], ...]] = (
    frozenset({"contradiction", "check"}),
    frozenset({"correction", "rule", "answer"}),
    frozenset({"requirement"}),
    frozenset({"assumption", "question", "caveat"}),
    frozenset({"finding"}),
    frozenset({"rejected", "decision"}),
)
"""The kinds in the order of the main rows; kinds that are not here follow."""


def place_of_kind(kind: FactKind) -> int:
    """The place of a kind in the order of the main rows, 0 for the first."""
    return next((place for place, kinds in enumerate(_MAIN_ORDER) if kind in kinds), len(_MAIN_ORDER))


@dataclass(frozen=True, slots=True)
class SummarySection:
    """A part of a summary under a heading."""

    title: str
    level: int
    """1 for the outermost; a section contains the following sections of higher levels."""
    span: Span
    """From its heading to the next section of the same or a lower level."""


@dataclass(frozen=True, slots=True)
class ComparedItem:
    """A statement or a check of the turns before a compaction, compared with the summary."""

    kind: FactKind
    text: str
    line: int
    turn: Turn
    weight: float


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A statement, a check or a detail of the turns before a compaction, as a review lists it."""

    kind: FactKind
    text: str
    """One line, cut to `TEXT_LENGTH`; a file by its path in the project."""
    line: int
    """Of a statement or check its line in the transcript, of a detail that of its last occurrence; in `changed_after`
    that of the first read after the compaction."""
    turn: int
    turns: tuple[int, ...]
    """All turns in which it occurs, in order; in `changed_after` all in which it was read."""
    times: int
    """The number of calls or texts in which it occurs."""
    weight: float
    rank: int
    """1 for the most important one of its list."""
    session: int
    """`Session.key` of the session of the turn: the first turns of a fork belong to another session."""
    dropped_at: int | None = None
    """The number, from 1, of the earlier compaction whose summary lacked it already; None if it is this one."""


@dataclass(frozen=True, slots=True)
class ReviewItems:
    """What a summary lacks, and what it has, the most important first."""

    lost: tuple[ReviewItem, ...]
    kept: tuple[ReviewItem, ...]


@dataclass(frozen=True, slots=True)
class Recurrence:
    """Something that a summary lost and that came up again after the compaction."""

    item: ReviewItem
    how: Literal["asked again", "corrected", "you were asked"]
    """asked again: the user said it once more; corrected: the user corrected the agent by it; you were asked: the agent
    asked the user for it."""
    turn: int
    """The number of the turn in which it came up again, in the review's session."""
    text: str
    """What was said in that turn, on one line."""


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
    """First what was said: the main rows (see `main`), then the rest by weight; then what was done."""
    kept: tuple[ReviewItem, ...]
    changed_after: tuple[ReviewItem, ...]
    """Files of the segment that were read again after the compaction, at their first read, in order."""
    recurrences: tuple[Recurrence, ...]
    """What was lost and came up again after the compaction, in order."""
    links: SummaryLinks = field(repr=False, compare=False)
    """The links between the summary's sentences and turns, for `linked_turns` and `linked_sentences`."""
    known: tuple[ReviewItem, ...] = ()
    """The items that the user marked as known, in the order of marking; `lost`, `changed_after` and `recurrences` have
    none of them."""
    number: int = 1
    """The number of the compaction among those of its session, from 1,"""
    count: int = 1
    """and how many these are."""
    place: int | None = None
    """Number of the turn at which the compaction stands: `turn`, or else the first one after it, or the last before."""
    is_encrypted: bool = False
    """Whether the transcript has the summary, but encrypted."""

    @property
    def main(self) -> tuple[ReviewItem, ...]:
        """The main rows: what matters and the summary lacks; the first items of `lost`, at most `MOST_MAIN`."""
        return main_items(self.lost)

    @property
    def others(self) -> tuple[ReviewItem, ...]:
        """What was said and the summary lacks, without the main rows."""
        return tuple(item for item in self.lost[len(self.main) :] if item.kind in STATEMENT_KINDS)

    @property
    def details(self) -> tuple[ReviewItem, ...]:
        """What was done and the summary lacks."""
        return tuple(item for item in self.lost if item.kind not in STATEMENT_KINDS)


def main_items(lost: Sequence[ReviewItem]) -> tuple[ReviewItem, ...]:
    """The first items of what a summary lacks that matter, at most `MOST_MAIN`."""
    return tuple(takewhile(is_main, lost[:MOST_MAIN]))


def is_main(item: ReviewItem) -> bool:
    """Whether an item matters enough for the main rows."""
    return item.kind in STATEMENT_KINDS and item.weight >= MAIN_WEIGHT


def without_known(review: Review, place_of: Callable[[ReviewItem], int | None]) -> Review:
    """A review without the items that the user knows.

    `place_of` returns the place of an item among the known ones, in the order of marking, or None.
    """
    places = [(place, item) for item in (*review.lost, *review.changed_after) if (place := place_of(item)) is not None]
    if not places:
        return review
    known = tuple(item for _, item in sorted(places, key=itemgetter(0)))
    return replace(
        review,
        lost=tuple(item for item in review.lost if item not in known),
        changed_after=tuple(item for item in review.changed_after if item not in known),
        recurrences=tuple(again for again in review.recurrences if again.item not in known),
        known=known,
    )
