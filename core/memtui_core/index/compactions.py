"""Compactions, and reviews of their summaries."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import _duckdb

from memtui_core.compaction import (
    FactKind,
    MadeReviews,
    Review,
    ReviewItem,
    linked_sentences,
    linked_turns,
    review,
    reviews,
    says_little,
    without_known,
)
from memtui_core.compaction.history import boundaries
from memtui_core.compaction.model import main_items
from memtui_core.compaction.reading import by_session
from memtui_core.errors import MemtuiError
from memtui_core.memory.compaction_brief import BriefItem, brief_line, brief_text
from memtui_core.model import Compaction, Project
from memtui_core.queries.compactions import CompactionRow, LostItem, list_compactions, session_compactions
from memtui_core.queries.main_items import CLAIMED, DETAILS, RULES
from memtui_core.store.marks.review_marks import ReviewMarks, row_key

if TYPE_CHECKING:
    from memtui_core.index.index import Index

__all__ = [
    "CLAIMED",
    "DETAILS",
    "CompactionRow",
    "Compactions",
    "FactKind",
    "Review",
    "ReviewItem",
    "linked_sentences",
    "linked_turns",
    "says_little",
]
_log = logging.getLogger(__name__)


class Compactions:
    """Queries for compactions, and what the user decides about the rows of their reviews."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.marks = ReviewMarks(index.data.path)
        """Which rows of reviews are known, and which ones agents shall get."""
        self._made = MadeReviews()
        self._failed: set[tuple[int, int]] = set()
        """The source and line of compactions whose review has failed in this process."""

    def of_session(self, session: int) -> list[Compaction]:
        """The compactions of a session in order."""
        return session_compactions(self._index.snapshot_of(session), session)

    def all(self, pattern: str = "", project: Project | None = None) -> list[CompactionRow]:
        """The compactions of a project, or of all, newest first; with a pattern those that contain all of its words.

        The words are looked for in the title, the project, the trigger and the summary, in any case and order. No
        review is made: see `reviewed`.
        """
        return self.as_known(list_compactions(self._index.snapshot, pattern, project))

    def as_known(self, rows: Iterable[CompactionRow]) -> list[CompactionRow]:
        """Rows of the current snapshot with the reviews that this process has made, and without known items."""
        made = self._made.main_items(self._index.snapshot)
        return self._rows_without_known(
            [
                row
                if row.is_reviewed or (items := made.get((row.source, row.line))) is None
                else _with_lost(row, items)
                for row in rows
            ]
        )

    def reviewed(self, rows: Iterable[CompactionRow]) -> Iterator[CompactionRow]:
        """Those of the rows that are not reviewed yet, with what their summaries lack, in the same order; lazy.

        One whose review fails is left out.
        """
        snapshot = self._index.snapshot
        waiting = [row for row in rows if not row.is_reviewed and row.turn is not None]
        if not waiting:
            return
        sessions = {row.session for row in waiting}
        among = next(iter(sessions)) if len(sessions) == 1 else None
        found = {(boundary.source, boundary.line): boundary for boundary in boundaries(snapshot, among)}
        places = {(row.source, row.line): row for row in waiting}
        due = (found[place] for place in places if place in found and place not in self._failed)
        for boundary, together in by_session(snapshot, due):
            place = boundary.source, boundary.line
            try:
                items = self._made.items(snapshot, boundary, together)
            except (MemtuiError, _duckdb.Error):
                raise
            except Exception:
                # A defect in one review must not hide those of the others.
                _log.exception("The compaction in line %d of source %d has no review", place[1], place[0])
                self._failed.add(place)
                continue
            yield from self._rows_without_known([_with_lost(places[place], main_items(items.lost))])

    def _rows_without_known(self, rows: list[CompactionRow]) -> list[CompactionRow]:
        if not (known := self.marks.known()):
            return rows
        ids = self._index.sessions.ids({item.session for row in rows for item in row.lost})
        return [
            replace(
                row,
                lost=tuple(item for item in row.lost if row_key(ids.get(item.session, ""), item.text) not in known),
            )
            for row in rows
        ]

    def review(self, session: int, turn: int) -> Review:
        """The review of the compaction whose summary is this turn, without known rows. Raises CompactionUnknown.

        Of one without a summary, the review of what is known of it, by the turn at which it stands.
        """
        return self._without_known(
            review(self._index.snapshot_of(session), session, turn, self._made), self.marks.known()
        )

    def reviews(self, session: int | None = None) -> Iterator[Review]:
        """The reviews of a session's compactions in order, or of all, newest first, without known rows; lazy."""
        known = self.marks.known()
        snapshot = self._index.snapshot if session is None else self._index.snapshot_of(session)
        return (self._without_known(review, known) for review in reviews(snapshot, session, self._made))

    def waits_for_meaning(self, session: int) -> bool:
        """Whether a review of a session compares only words until the indexer has the model: its rows may change.

        False for an index for which no vectors were ever made, nor the model prepared.
        """
        from memtui_core.search.vectors.nearest import model_name

        snapshot = self._index.snapshot_of(session)
        makes_vectors = model_name(snapshot) is not None or self._index.data.embedding.exists()
        return makes_vectors and bool(
            snapshot.rows(
                "SELECT 1 FROM compactions c JOIN turns t ON t.session = c.session AND t.source = c.source"
                " AND t.segment = c.segment AND t.kind = 'compaction' LEFT JOIN reviews r"
                f" ON r.source = c.source AND r.line = c.line AND r.rules >= {RULES}"
                " WHERE c.session = ? AND NOT coalesce(r.by_meaning, FALSE) LIMIT 1",
                [session],
            )
        )

    def set_known(self, item: ReviewItem, *, known: bool) -> None:
        """Mark an item of a review as known, so that no review lists it any more, or take the mark away.

        Raises MemtuiError.
        """
        self.marks.set_known(row_key(self._session_id(item), item.text), known=known)

    def send(self, review: Review, items: Iterable[ReviewItem]) -> None:
        """Give items to the agent of a review's session with its next hook call. Raises MemtuiError."""
        for line in self._brief_lines(items).values():
            self.marks.send(review.session_id, line)

    def sent(self, review: Review) -> dict[ReviewItem, bool]:
        """The items of a review that were sent to the agent, each with whether it has got it."""
        sent = self.marks.sent(review.session_id)
        if not sent:
            return {}
        lines = self._brief_lines((*review.lost, *(again.item for again in review.recurrences)))
        return {item: sent[line] for item, line in lines.items() if line in sent}

    def prompt_of(self, items: Iterable[ReviewItem]) -> str:
        """Items of a review as one prompt for the agent, a line each, with its `SESSION:TURN`."""
        return "\n".join(["The summary of your last compaction lacks this:", *self._brief_lines(items).values()])

    def brief(self, review: Review) -> str:
        """What an agent gets of what a summary lacks, cited, in at most 2,000 bytes; empty if there is nothing."""
        return brief_text(self._brief_items(review.main).values())

    def _brief_lines(self, items: Iterable[ReviewItem]) -> dict[ReviewItem, str]:
        return {item: brief_line(brief) for item, brief in self._brief_items(items).items()}

    def _brief_items(self, items: Iterable[ReviewItem]) -> dict[ReviewItem, BriefItem]:
        """What is said of items to an agent, without those of sessions that are forgotten by now."""
        items = dict.fromkeys(items)
        ids = self._index.sessions.ids({item.session for item in items})
        return {
            item: BriefItem(item.kind, item.text, ids[item.session], item.turn) for item in items if item.session in ids
        }

    def _session_id(self, item: ReviewItem) -> str:
        return self._index.sessions.ids([item.session]).get(item.session, "")

    def _without_known(self, review: Review, known: Mapping[str, int]) -> Review:
        if not known:
            return review
        ids = self._index.sessions.ids({item.session for item in (*review.lost, *review.changed_after)})
        return without_known(review, lambda item: known.get(row_key(ids.get(item.session, ""), item.text)))


def _with_lost(row: CompactionRow, items: Iterable[ReviewItem]) -> CompactionRow:
    """A row whose review was made."""
    lost = tuple(LostItem(item.kind, item.text, item.session) for item in items)
    return replace(row, is_reviewed=True, lost=lost)
