"""What a compaction's summary kept of the segment that it replaced, and what it lost; rules only."""

from memtui_core.compaction.build import TEXT_LENGTH, review, reviews, spoken_of, turns_of
from memtui_core.compaction.links import TurnScore
from memtui_core.compaction.values import Item, Kind, Review, Section

__all__ = [
    "TEXT_LENGTH",
    "Item",
    "Kind",
    "Review",
    "Section",
    "TurnScore",
    "review",
    "reviews",
    "spoken_of",
    "turns_of",
]
