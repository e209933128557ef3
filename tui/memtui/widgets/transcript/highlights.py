"""The words that are highlighted in a transcript."""

from __future__ import annotations

from collections.abc import Callable

from memtui.render.marks import mark, mark_spans
from memtui.render.rows import Row
from memtui.render.turns.part import Part
from memtui.widgets.requests.target import HitPassages
from memtui.widgets.transcript.layout.boxes import TurnBox
from memtui.widgets.transcript.navigation.matches import MatchList

FindSpans = Callable[[str], list[tuple[int, int]]]
"""Returns the (start, end) of each span to highlight in a text."""


class Highlights:
    """Highlights the matches of a search in the session, or without one the words of the query that found it."""

    def __init__(self, matches: MatchList) -> None:
        self.query_spans: FindSpans | None = None
        """Finds the words of the query in the text of a row; None without a query."""
        self._matches = matches

    def take_query(self, hit: HitPassages | None) -> None:
        """Highlight the words of the query of an answer; None for no query."""
        self.query_spans = _query_spans(hit)

    def apply(self, turn: TurnBox, part: Part, rows: list[Row]) -> list[Row]:
        """The rows of a part with its matches highlighted."""
        matches = self._matches
        if not part.texts:
            return rows
        if matches.pattern is None:
            return rows if self.query_spans is None else mark_spans(rows, self.query_spans)
        current = matches.current
        ordinal = None
        if current is not None and current.number == turn.turn.number and current.seq == part.seq:
            parts = [turn.boxes[index].part for index in turn.text_parts(part.seq)]
            ordinal = current.ordinal if parts.index(part) == current.nth else None
        return mark(rows, matches.pattern, ordinal)


def _query_spans(hit: HitPassages | None) -> FindSpans | None:
    if hit is None or not hit.words:
        return None
    from memtui_core.index.search import matcher_of

    matcher = matcher_of(hit.words, prefix=hit.prefix)
    return lambda text: [(span.start, span.end) for span in matcher.spans(text)]
