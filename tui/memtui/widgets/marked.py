"""A document in which the words of a search are marked."""

from __future__ import annotations

from collections.abc import Callable

from memtui.render.marks import mark, mark_spans
from memtui.render.rows import Row
from memtui.render.view import Part
from memtui.widgets.document import Document
from memtui.widgets.match_list import MatchList


class MarkedDocument(Document):
    """A document in which the matches of a search are marked."""

    matches = MatchList()
    words_in: Callable[[str], list[tuple[int, int]]] | None = None
    """Finds the words of a query in the text of a row; they are marked while nothing else is being found."""

    def decorate(self, number: int, part: Part, rows: list[Row]) -> list[Row]:
        """The rows with their matches in style."""
        matches = self.matches
        if not part.texts:
            return rows
        if matches.pattern is None:
            return rows if self.words_in is None else mark_spans(rows, self.words_in)
        current = matches.current
        index = None
        if current is not None and current.number == number and current.seq == part.seq:
            boxes = self.turns[self.index[number]].boxes
            same = [box.part for box in boxes if box.part.seq == part.seq and box.part.texts]
            index = current.ordinal if same.index(part) == current.nth else None
        return mark(rows, matches.pattern, index)
