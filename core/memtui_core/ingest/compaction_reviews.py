"""The indexer makes the reviews of compactions: at first by words, and again by meaning when the model is loaded."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memtui_core.queries.main_items import RULES
from memtui_core.system.fault_points import fault_point

if TYPE_CHECKING:
    from pathlib import Path

    from memtui_core.compaction.build import SessionReviews
    from memtui_core.compaction.history import Boundary
    from memtui_core.search.embed import Embedder
    from memtui_core.store.work.database import WorkDatabase

_log = logging.getLogger(__name__)
_DUE_BY_WORDS = f"r.line IS NULL OR r.rules < {RULES}"
_DUE_BY_MEANING = f"{_DUE_BY_WORDS} OR NOT r.by_meaning"


class CompactionReviews:
    """Reviews the compactions in the work database."""

    def __init__(self, work: WorkDatabase) -> None:
        self._work = work
        self._failed: set[tuple[int, int, int]] = set()
        """The session, source and line of compactions whose review has failed in this process."""
        self._none_due: dict[str, list[int]] = {}
        """How often tables had changed when no review was due by a condition."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query on the work database."""
        return self._work.connection.execute(sql, list(parameters)).fetchall()

    def review_new(
        self,
        stopped: Callable[[], bool],
        before_change: Callable[[], object],
        embedder: Embedder | None = None,
        transcript: Path | None = None,
    ) -> Iterator[tuple[int, int]]:
        """Review all compactions with a summary, or those of a transcript, that have no review by the current rules.

        The reviews are stored. With a model, those that compare only words are made again. After each compaction,
        yields how many are done and how many there are. `before_change` is called before each change of the database.
        When `stopped` returns True, the rest is left for the next call.
        """
        due = self._due(_DUE_BY_MEANING if embedder is not None else _DUE_BY_WORDS, transcript)
        if not due:
            return
        # Most runs of the indexer review nothing.
        from memtui_core.compaction.build import SessionReviews
        from memtui_core.compaction.history import boundaries

        done = 0
        for session in dict.fromkeys(session for session, _, _ in due):
            reviews = SessionReviews(self, embedder)
            for boundary in boundaries(self, session):
                if boundary.turn is None or (session, boundary.source, boundary.line) not in due:
                    continue
                if stopped():
                    return
                before_change()
                self._review(boundary, reviews, by_meaning=embedder is not None)
                done += 1
                yield done, len(due)

    def is_due(self, *, by_meaning: bool) -> bool:
        """Whether `review_new` has anything to do; with `by_meaning`, whether it has with a model."""
        return bool(self._due(_DUE_BY_MEANING if by_meaning else _DUE_BY_WORDS))

    def _due(self, condition: str, transcript: Path | None = None) -> dict[tuple[int, int, int], None]:
        if not self._work.may_have("compactions"):
            return {}
        # An idle indexer asks again and again.
        changed = [self._work.changed[table] for table in ("compactions", "reviews", "turns")]
        if transcript is None and self._none_due.get(condition) in (changed, changed[:2]):
            return {}
        of_transcript = "" if transcript is None else " AND c.source IN (SELECT id FROM sources WHERE path = ?)"
        rows = self.rows(
            "SELECT c.session, c.source, c.line, c.segment FROM compactions c LEFT JOIN reviews r"
            f" ON r.source = c.source AND r.line = c.line WHERE ({condition}){of_transcript}"
            " ORDER BY c.at_time DESC NULLS LAST, c.line",
            [] if transcript is None else [str(transcript)],
        )
        if not rows:
            if transcript is None:
                self._none_due[condition] = changed[:2]
            return {}
        written = set(self.rows("SELECT session, source, segment FROM turns WHERE kind = 'compaction'"))
        due = (
            (session, source, line) for session, source, line, segment in rows if (session, source, segment) in written
        )
        found = {key: None for key in due if key not in self._failed}
        if not found and transcript is None:
            self._none_due[condition] = changed
        return found

    def _review(self, boundary: Boundary, reviews: SessionReviews, *, by_meaning: bool) -> None:
        """Store a review, if it can be made."""
        from memtui_core.compaction.reading import item_rows

        source, line = boundary.source, boundary.line
        try:
            items = reviews.items(boundary)
        except Exception:
            # A defect in one review must not stop the indexer.
            _log.exception("The compaction in line %d of source %d has no review", line, source)
            self._failed.add((boundary.session, source, line))
            return
        with self._work.transaction():
            for table in ("reviews", "review_items"):
                self._work.keep_only(table, source, "line <> ?", [line])
            self._work.put("reviews", [(source, line, RULES, by_meaning)])
            self._work.put("review_items", item_rows(source, line, items))
            fault_point("review-written")
