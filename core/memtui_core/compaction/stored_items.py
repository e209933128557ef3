"""The lists of a review as the indexer stores them, so that opening a review takes no time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memtui_core.compaction.model import ReviewItem
from memtui_core.queries.compactions import has_reviews
from memtui_core.store.snapshot.reader import Snapshot


@dataclass(frozen=True, slots=True)
class ReviewItems:
    """What a summary lacks, and what it has, the most important first."""

    lost: tuple[ReviewItem, ...]
    kept: tuple[ReviewItem, ...]


def stored_items(snapshot: Snapshot, source: int, line: int) -> ReviewItems | None:
    """The stored lists of the compaction in a line of a source; None if the indexer has not made them yet."""
    if not has_reviews(snapshot):
        return None
    place = [source, line]
    if not snapshot.rows("SELECT 1 FROM reviews WHERE source = ? AND line = ?", place):
        return None
    rows = snapshot.rows(
        "SELECT is_lost, kind, text, item_line, turn, turns, times, weight, rank, session, dropped_at"
        " FROM review_items WHERE source = ? AND line = ? ORDER BY rank",
        place,
    )
    items = [(is_lost, _item(values)) for is_lost, *values in rows]
    return ReviewItems(
        tuple(item for is_lost, item in items if is_lost), tuple(item for is_lost, item in items if not is_lost)
    )


def item_rows(source: int, line: int, items: ReviewItems) -> list[tuple[Any, ...]]:
    """The rows of the lists for the table `review_items`."""
    return [
        (
            source, line, is_lost, item.rank, item.kind, item.text, item.session, item.turn,
            " ".join(map(str, item.turns)), item.line, item.times, item.weight, item.dropped_at,
        )
        for is_lost, listed in ((True, items.lost), (False, items.kept))
        for item in listed
    ]  # fmt: skip


def _item(values: Sequence[Any]) -> ReviewItem:
    kind, text, line, turn, turns, *rest = values
    return ReviewItem(kind, text, line, turn, tuple(map(int, turns.split())), *rest)
