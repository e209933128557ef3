"""Compactions, and reviews of their summaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui_core.compaction import (
    FactKind,
    Review,
    ReviewItem,
    linked_sentences,
    linked_turns,
    review,
    reviews,
    says_little,
    without_known,
)
from memtui_core.memory.compaction_brief import BriefItem, brief_line, brief_text
from memtui_core.model import Compaction
from memtui_core.queries.compactions import CompactionRow, list_compactions, session_compactions
from memtui_core.queries.main_items import CLAIMED, DETAILS
from memtui_core.store.review_marks import ReviewMarks, row_key

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


class Compactions:
    """Queries for compactions, and what the user decides about the rows of their reviews."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.marks = ReviewMarks(index.data.path)
        """Which rows of reviews are known, and which ones agents shall get."""

    def of_session(self, session: int) -> list[Compaction]:
        """The compactions of a session in order."""
        return session_compactions(self._index.snapshot_of(session), session)

    def all(self, pattern: str = "") -> list[CompactionRow]:
        """The compactions of all sessions, newest first; with a pattern those that contain all of its words.

        The words are looked for in the title, the project, the trigger and the summary, in any case and order.
        """
        rows = list_compactions(self._index.snapshot, pattern)
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
        """The review of the compaction whose summary is this turn, without known rows. Raises CompactionUnknown."""
        return self._without_known(review(self._index.snapshot_of(session), session, turn), self.marks.known())

    def reviews(self, session: int | None = None) -> Iterator[Review]:
        """The reviews of a session's compactions in order, or of all, newest first, without known rows; lazy."""
        known = self.marks.known()
        snapshot = self._index.snapshot if session is None else self._index.snapshot_of(session)
        return (self._without_known(review, known) for review in reviews(snapshot, session))

    def set_known(self, item: ReviewItem, *, known: bool) -> None:
        """Mark an item of a review as known, so that no review lists it any more, or take the mark away.

        Raises MemtuiError.
        """
        self.marks.set_known(row_key(self._session_id(item), item.text), known=known)

    def send(self, review: Review, item: ReviewItem) -> None:
        """Give an item to the agent of a review's session with its next hook call. Raises MemtuiError."""
        self.marks.send(review.session_id, self._brief_line(item))

    def prompt_of(self, item: ReviewItem) -> str:
        """An item of a review as a prompt for the agent, with its `SESSION:TURN`."""
        return f"The summary of your last compaction lacks this:\n{self._brief_line(item)}"

    def brief(self, review: Review) -> str:
        """What an agent gets of what a summary lacks, cited, in at most 2,000 bytes; empty if there is nothing."""
        ids = self._index.sessions.ids({item.session for item in review.main})
        return brief_text(
            BriefItem(item.kind, item.text, ids[item.session], item.turn) for item in review.main if item.session in ids
        )

    def _brief_line(self, item: ReviewItem) -> str:
        return brief_line(BriefItem(item.kind, item.text, self._session_id(item), item.turn))

    def _session_id(self, item: ReviewItem) -> str:
        return self._index.sessions.ids([item.session])[item.session]

    def _without_known(self, review: Review, known: Mapping[str, int]) -> Review:
        if not known:
            return review
        ids = self._index.sessions.ids({item.session for item in (*review.lost, *review.changed_after)})
        return without_known(review, lambda item: known.get(row_key(ids.get(item.session, ""), item.text)))
