"""Navigation from passage to passage of a hit, in order of rank; folded passages are unfolded."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from memtui.render.locate import RowPosition, locate
from memtui.render.rows import line_of
from memtui.widgets.requests.target import HitPassages
from memtui.widgets.transcript.layout.block_loader import BlockLoader
from memtui.widgets.transcript.layout.boxes import Box, TranscriptPlace
from memtui.widgets.transcript.layout.viewport import Viewport
from memtui.widgets.transcript.navigation.cursor import TurnCursor
from memtui.widgets.transcript.navigation.folding import TemporaryFold
from memtui_core.model import Passage


class _Location(NamedTuple):
    """The lines of the current passage, with the boxes and the width for which they are valid."""

    boxes: list[Box]
    width: int
    part: int
    first: int
    """The first line of the passage in the part."""
    last: int


class PassageNavigator:
    """Keeps the passages of a hit and the current one.

    `changed` is called when another passage is current; `request_hit` is called with a direction if the turn has no
    more passages.
    """

    def __init__(
        self,
        viewport: Viewport,
        loader: BlockLoader,
        cursor: TurnCursor,
        fold: TemporaryFold,
        changed: Callable[[], None],
        request_hit: Callable[[int], None],
    ) -> None:
        self.hit: HitPassages | None = None
        self._viewport = viewport
        self._loader = loader
        self._cursor = cursor
        self._fold = fold
        self._changed = changed
        self._request_hit = request_hit
        self.number = 0
        """`Turn.number` of the turn with the passages."""
        self.current: int | None = None
        """The index of the current passage."""
        self._pending: int | None = None
        """The index of a passage that waits for the blocks of its turn, or for the first layout."""
        self._location: _Location | None = None

    def take(self, number: int, hit: HitPassages | None, current: int | None = None) -> None:
        """Go through the passages of turn `number` from now on, with one as the current one; None for none."""
        self.number, self.hit = number, hit if hit is not None and hit.passages else None
        self.current, self._pending, self._location = current, None, None

    def blocks(self) -> list[tuple[int, int]]:
        """`Turn.number` and `Block.seq` of each passage."""
        return [(self.number, passage.block) for passage in self.hit.passages] if self.hit is not None else []

    @property
    def passage(self) -> Passage | None:
        """The current passage."""
        hit = self.hit
        return hit.passages[self.current] if hit is not None and self.current is not None else None

    @property
    def position(self) -> str:
        """Which passage is the current one: `passage 1 of 7`; empty without one."""
        if self.hit is None or self.current is None:
            return ""
        return f"passage {self.current + 1} of {len(self.hit.passages)}"

    def step(self, direction: int) -> None:
        """Go to the next passage or to the one before; after the last one to the next hit."""
        if self.hit is None:
            return
        index = direction + self.current if self.current is not None else 0
        if 0 <= index < len(self.hit.passages):
            self.show(index)
        else:
            self._request_hit(direction)

    def show(self, index: int) -> None:
        """Go to a passage, as soon as the blocks of its turn are loaded and the screen has a size."""
        document = self._viewport.document
        turn = document.index.get(self.number)
        if self.hit is None or turn is None:
            return
        self._pending = index
        if document.turns[turn].blocks is None:
            self._loader.load(turn, turn + 1)
            return
        if not self._viewport.ready:
            return
        self._pending = None
        self._fold.close()
        self.current, self._location = index, None
        self._unfold(turn, self.hit.passages[index].block)
        first = last = TranscriptPlace(turn, 0, 0)
        if (location := self._locate(turn)) is not None:
            first, last = (
                TranscriptPlace(turn, location.part, location.first),
                TranscriptPlace(turn, location.part, location.last),
            )
        self._viewport.reveal(first, last)
        self._cursor.select(self.number)
        self._changed()

    def show_nearest(self, seq: int) -> None:
        """Go to the passage in the block nearest to `seq`: the best one of several."""
        if self.hit is not None:
            distances = [abs(passage.block - seq) for passage in self.hit.passages]
            self.show(distances.index(min(distances)))

    def show_pending(self) -> None:
        """Show the passage that waits for blocks or for the first layout."""
        if self._pending is not None:
            self.show(self._pending)

    def includes(self, place: TranscriptPlace) -> bool:
        """Whether the line at a place belongs to the current passage."""
        if self.passage is None or self._viewport.document.turns[place.turn].turn.number != self.number:
            return False
        location = self._locate(place.turn)
        return location is not None and place.part == location.part and location.first <= place.line <= location.last

    def call(self) -> tuple[int, int] | None:
        """`Turn.number` and `Block.seq` of the tool call with the current passage; None for another source."""
        passage, turn = self.passage, self._viewport.document.index.get(self.number)
        if passage is None or turn is None or not passage.source.startswith("tool"):
            return None
        return self.number, self._call_of(turn, passage.block)

    def _unfold(self, turn: int, block: int) -> None:
        """Unfold what contains the text of a block."""
        box = self._viewport.document.turns[turn]
        self._fold.open(turn, *box.folds_around(block, self._call_of(turn, block)))

    def _call_of(self, turn: int, block: int) -> int:
        """`Block.seq` of the call whose result a block is; for any other block its own."""
        calls = self._viewport.document.calls(turn)
        return next((seq for seq, call in calls.items() if call.result and call.result.seq == block), block)

    def _locate(self, turn: int) -> _Location | None:
        """The current lines of the passage; None if it is not shown."""
        document, passage = self._viewport.document, self.passage
        boxes = document.turns[turn].boxes
        cached = self._location
        if cached is not None and cached.boxes is boxes and cached.width == document.width:
            return cached
        self._location = None
        if passage is None:
            return None
        parts = [index for index, box in enumerate(boxes) if passage.block in box.part.blocks]
        rows = [(part, index, row) for part in parts for index, row in enumerate(boxes[part].part.rows(document.width))]
        if not rows:
            return None
        spots = locate([row for *_, row in rows], passage.text, self._share(turn, passage))
        first, last = spots or (RowPosition(0, 0), RowPosition(0, 0))
        part, first_row, _ = rows[first.row]
        # A long text has several parts; only the start of a passage that continues in the next part is located.
        last_part, last_row, _ = rows[last.row]
        lines = document.lines(turn, part)
        first_line = line_of(lines, first_row, first.character)
        last_line = line_of(lines, last_row, max(0, last.character - 1)) if last_part == part else len(lines) - 1
        self._location = _Location(boxes, document.width, part, first_line, last_line)
        return self._location

    def _share(self, turn: int, passage: Passage) -> float:
        """The relative position in its block at which a passage starts, 0 to 1."""
        blocks = self._viewport.document.turns[turn].blocks or ()
        length = next((len(block.text) for block in blocks if block.seq == passage.block), 0)
        return min(1.0, passage.first / length) if length else 0.0
