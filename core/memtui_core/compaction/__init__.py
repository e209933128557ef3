"""Reviews of compactions: what a summary kept of the session before it, and what it lost."""

from memtui_core.compaction.build import TEXT_LENGTH, linked_sentences, linked_turns
from memtui_core.compaction.links import TurnScore
from memtui_core.compaction.model import (
    STATEMENT_KINDS,
    FactKind,
    Recurrence,
    Review,
    ReviewItem,
    SummarySection,
    without_known,
)
from memtui_core.compaction.reading import MadeReviews, review, reviews
from memtui_core.compaction.words import says_little

__all__ = [
    "STATEMENT_KINDS",
    "TEXT_LENGTH",
    "FactKind",
    "MadeReviews",
    "Recurrence",
    "Review",
    "ReviewItem",
    "SummarySection",
    "TurnScore",
    "linked_sentences",
    "linked_turns",
    "review",
    "reviews",
    "says_little",
    "without_known",
]
