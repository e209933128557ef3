"""The weights of each compaction's review, computed once for the list of compactions: what its summary kept."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from memtui_core.compaction.build import read_review
from memtui_core.compaction.segment import Boundary, boundaries
from memtui_core.store.work_database import WorkDatabase

_log = logging.getLogger(__name__)


class CompactionReviews:
    """Reviews the compactions in the work database."""

    def __init__(self, work: WorkDatabase) -> None:
        self._work = work

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query on the work database."""
        return self._work.connection.execute(sql, list(parameters)).fetchall()

    def review_new(self, stopped: Callable[[], bool], before_change: Callable[[], object]) -> int:
        """Store the weights of all compactions with a summary and without a review; the number of new reviews.

        `before_change` is called once, before the first change. When `stopped` returns True, the other compactions are
        left for the next call.
        """
        sessions = self.rows(
            "SELECT DISTINCT session FROM compactions c ANTI JOIN compaction_reviews r"
            " ON r.source = c.source AND r.line = c.line ORDER BY session"
        )
        count = 0
        for (session,) in sessions:
            for boundary in boundaries(self, session):
                if boundary.turn is None or self._is_reviewed(boundary):
                    continue
                if stopped():
                    return count
                try:
                    weights = read_review(self, boundary).weights
                except Exception:
                    # A defect in one review must not stop the indexer.
                    _log.exception(
                        "The compaction in line %d of source %d has no review", boundary.line, boundary.source
                    )
                    continue
                if not count:
                    before_change()
                with self._work.transaction():
                    self._work.put("compaction_reviews", [(boundary.source, boundary.line, *weights)])
                count += 1
        return count

    def _is_reviewed(self, boundary: Boundary) -> bool:
        where = "source = ? AND line = ?"
        return bool(self.rows(f"SELECT 1 FROM compaction_reviews WHERE {where}", [boundary.source, boundary.line]))
