"""Reviews as they are read: as the indexer stored them, or made by words when somebody looks before it has."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from memtui_core.compaction.build import SessionReviews, build_review
from memtui_core.compaction.history import Boundary, boundaries, path_resolver
from memtui_core.compaction.model import Review, ReviewItem, ReviewItems, main_items
from memtui_core.errors import CompactionUnknown
from memtui_core.queries.main_items import RULES
from memtui_core.store.snapshot.reader import Snapshot

_STATES: Final = (
    "SELECT c.source, c.line, count(*), max(t.batch), any_value(s.forked_from)"
    " FROM compactions c JOIN sessions s ON s.key = c.session JOIN turns t ON t.session = c.session"
    " AND t.source = c.source AND (t.segment < c.segment OR t.segment = c.segment AND t.kind = 'compaction')"
    " WHERE {} GROUP BY c.source, c.line"
)
"""How many turns a compaction is compared with, and when the last of them was written; they are those of its source."""
_Place = tuple[int, int]
"""The source and the line of a compaction."""


def review(snapshot: Snapshot, session: int, turn: int, made: MadeReviews | None = None) -> Review:
    """Review the compaction whose summary is turn `turn` of a session, or the one without a summary that stands there.

    Raises CompactionUnknown.
    """
    found = [boundary for boundary in boundaries(snapshot, session) if boundary.place == turn]
    if not found:
        raise CompactionUnknown(f"There is no compaction at turn {turn} of the session with the key {session}.")
    boundary = next((boundary for boundary in found if boundary.turn == turn), found[-1])
    return _read_review(snapshot, boundary, made or MadeReviews(), SessionReviews(snapshot))


def reviews(snapshot: Snapshot, session: int | None = None, made: MadeReviews | None = None) -> Iterator[Review]:
    """The reviews of a session's compactions in order, or of all compactions, the newest first; computed lazily."""
    made = made or MadeReviews()
    for boundary, together in by_session(snapshot, boundaries(snapshot, session)):
        yield _read_review(snapshot, boundary, made, together)


def by_session(snapshot: Snapshot, compactions: Iterable[Boundary]) -> Iterator[tuple[Boundary, SessionReviews]]:
    """Compactions with what makes their reviews: the same for those of one session that follow each other."""
    session, together = None, SessionReviews(snapshot)
    for boundary in compactions:
        if boundary.session != session:
            session, together = boundary.session, SessionReviews(snapshot)
        yield boundary, together


class MadeReviews:
    """Makes reviews that the indexer has not stored yet, by words, and keeps them while the process runs.

    Any thread may call it; one review is made at a time, so that none is made twice. It is made again if turns that it
    compares have changed.
    """

    def __init__(self) -> None:
        self._making = threading.Lock()
        self._made: dict[_Place, tuple[object, ReviewItems]] = {}
        """The lists by place, with the state of the turns of which they were made."""

    def items(self, snapshot: Snapshot, boundary: Boundary, together: SessionReviews) -> ReviewItems:
        """The lists of a review, stored or made by `together`."""
        place = boundary.source, boundary.line
        if (stored := stored_items(snapshot, *place)) is not None:
            self._made.pop(place, None)
            return stored
        with self._making:
            state = _states(snapshot, "c.source = ? AND c.line = ?", place).get(place)
            made = self._made.get(place)
            if made is None or made[0] != state:
                made = self._made[place] = state, together.items(boundary)
            return made[1]

    def main_items(self, snapshot: Snapshot) -> Mapping[_Place, tuple[ReviewItem, ...]]:
        """What matters of that which the summaries lack whose reviews were made, by source and line."""
        made = dict(self._made)
        states = _states(snapshot, "TRUE") if made else {}
        return {place: main_items(items.lost) for place, (state, items) in made.items() if states.get(place) == state}


def stored_items(snapshot: Snapshot, source: int, line: int) -> ReviewItems | None:
    """The stored lists of the compaction in a line of a source; None if the indexer has not made them yet."""
    place = [source, line]
    if not snapshot.rows(f"SELECT 1 FROM reviews WHERE source = ? AND line = ? AND rules >= {RULES}", place):
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


def _read_review(snapshot: Snapshot, boundary: Boundary, made: MadeReviews, together: SessionReviews) -> Review:
    turns = together.turns
    before, after = (turns.segment(boundary, segment) for segment in (boundary.segment - 1, boundary.segment))
    items = made.items(snapshot, boundary, together)
    return build_review(boundary, before, after, items, path_resolver(snapshot, boundary.session))


def _states(snapshot: Snapshot, condition: str, parameters: Sequence[Any] = ()) -> dict[_Place, object]:
    """The state of the turns with which compactions are compared, by source and line."""
    return {
        # A fork is compared with turns of other sessions, too.
        (source, line): (*state, snapshot.number if forked_from else None)
        for source, line, *state, forked_from in snapshot.rows(_STATES.format(condition), parameters)
    }


def _item(values: Sequence[Any]) -> ReviewItem:
    kind, text, line, turn, turns, *rest = values
    return ReviewItem(kind, text, line, turn, tuple(map(int, turns.split())), *rest)
