"""Find in a session: count the matches and go from match to match, also in folded and not yet loaded turns."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from memtui.render.marks import match_position
from memtui.render.rows import line_of
from memtui.widgets.transcript.layout.anchors import anchor_at, place_of
from memtui.widgets.transcript.layout.block_loader import BlockLoader
from memtui.widgets.transcript.layout.boxes import TranscriptPlace
from memtui.widgets.transcript.layout.viewport import Viewport
from memtui.widgets.transcript.navigation.cursor import TurnCursor
from memtui.widgets.transcript.navigation.folding import TemporaryFold
from memtui.widgets.transcript.navigation.matches import MatchList, TranscriptMatch

_SLICE = 0.008
"""Seconds of counting before the screen is updated."""
_STEP = 50
"""Turns whose blocks are requested at once to count their matches."""


class MatchFinder:
    """Counts the matches in slices and keeps the current one.

    `changed` is called when another match is current or more matches are known; `count_later` is called with a
    function to call after a pause.
    """

    def __init__(
        self,
        matches: MatchList,
        viewport: Viewport,
        loader: BlockLoader,
        cursor: TurnCursor,
        fold: TemporaryFold,
        changed: Callable[[], None],
        count_later: Callable[[Callable[[], None]], None],
    ) -> None:
        self.counting = False
        """Whether another slice of counting is scheduled."""
        self._matches = matches
        self._viewport = viewport
        self._loader = loader
        self._cursor = cursor
        self._fold = fold
        self._changed = changed
        self._count_later = count_later
        self._pending_step = 0
        """The direction of a step that waits for blocks."""
        self._pending_turn: int | None = None
        """`Turn.number` of the turn to go to when its blocks are loaded."""

    @property
    def complete(self) -> bool:
        """Whether all turns are counted, or there is nothing to count."""
        turns = self._viewport.document.turns
        return self._matches.pattern is None or all(self._matches.counted(box.turn.number) for box in turns)

    def restart(self) -> None:
        """Start counting, as the words or the session have changed."""
        self._pending_step, self._pending_turn = 0, None
        self._fold.keep_open()
        self._changed()
        self._continue_counting()

    def resume(self, match: TranscriptMatch | None) -> None:
        """Start counting with a match as the current one, if its turn is loaded."""
        self.restart()
        index = self._viewport.document.index.get(match.number) if match is not None else None
        if match is not None and index is not None and self._count(index):
            self._matches.current = match if match in self._matches.of(match.number) else None
            self._changed()

    def blocks_supplied(self) -> None:
        """Continue what waited for blocks."""
        if self._pending_turn is not None:
            self.go_to_turn(self._pending_turn)
        if self._pending_step:
            self.step(self._pending_step)
        self._continue_counting()

    def go_to_turn(self, number: int, seq: int = 0) -> None:
        """Go to the first match of a turn, or of its block nearest to `seq`, as soon as its blocks are loaded."""
        index = self._viewport.document.index.get(number)
        if index is None or self._matches.pattern is None:
            return
        self._pending_turn = number
        if self._count(index):
            self._pending_turn = None
            if matches := self._matches.of(number):
                self._go_to(min(matches, key=lambda match: abs(max(0, match.seq) - seq)))

    def step(self, direction: int) -> None:
        """Go to the next or the previous match, from the last match to the first."""
        document = self._viewport.document
        if not self._viewport.ready or self._matches.pattern is None:
            return
        current = self._matches.current
        start = document.index.get(current.number if current is not None else self._cursor.number, 0)
        self._pending_step = 0
        for distance in range(len(document.turns) + 1):
            index = (start + distance * direction) % len(document.turns)
            if not self._count(index):
                self._pending_step = direction
                self._loader.load(index, index + 1)
                return
            matches = self._matches.of(document.turns[index].turn.number)
            if distance == 0 and current is not None and current in matches:
                position = matches.index(current)
                matches = matches[position + 1 :] if direction > 0 else matches[:position]
            elif distance == 0:
                matches = [match for match in matches if self._is_ahead(self._place(index, match), direction)]
            if matches:
                self._go_to(matches[0 if direction > 0 else -1])
                return

    def _is_ahead(self, place: TranscriptPlace, direction: int) -> bool:
        """Whether a place is at the top of the screen or below it, or for -1 above it."""
        return (place >= self._viewport.place) == (direction > 0)

    def _continue_counting(self) -> None:
        if self._matches.pattern is not None and not self.counting:
            self.counting = True
            self._count_later(self._count_slice)

    def _count_slice(self) -> None:
        """Count for a few milliseconds; if no loaded turn is left to count, request blocks."""
        self.counting = False
        if self._matches.pattern is None:
            return
        until, total = monotonic() + _SLICE, self._matches.total
        missing: int | None = None
        for index, box in enumerate(self._viewport.document.turns):
            if self._matches.counted(box.turn.number):
                continue
            if box.blocks is None:
                missing = index if missing is None else missing
                continue
            self._count(index)
            if monotonic() > until:
                self._continue_counting()
                break
        else:
            if missing is not None:
                self._loader.load(missing, missing + _STEP)
        if self._matches.total != total or self.complete:
            self._changed()

    def _count(self, index: int) -> bool:
        """Count a turn now; False if its blocks are not loaded."""
        document = self._viewport.document
        box = document.turns[index]
        if box.blocks is None:
            return False
        self._matches.count(box.turn, box.blocks, document.options, document.width)
        return True

    def _go_to(self, match: TranscriptMatch) -> None:
        """Make a match the current one and show it; the fold that contains it is unfolded."""
        viewport, document = self._viewport, self._viewport.document
        anchor = anchor_at(document, viewport.place)
        index = document.index[match.number]
        previous, self._matches.current = self._matches.current, match
        if previous is not None and (previous_index := document.index.get(previous.number)) is not None:
            document.drop_lines(previous_index)
        self._unfold(index, match)
        document.drop_lines(index)
        viewport.place = place_of(document, anchor)
        place = self._place(index, match)
        viewport.reveal(place, place)
        self._cursor.select(match.number)
        self._changed()

    def _place(self, index: int, match: TranscriptMatch) -> TranscriptPlace:
        """The place of the line with a match, or of what it is folded in."""
        document = self._viewport.document
        assert self._matches.pattern is not None
        part = self._part(index, match)
        if part is None:
            return TranscriptPlace(index, document.turns[index].text_part(match.seq), 0)
        rows = document.turns[index].boxes[part].part.rows(document.width)
        spot = match_position(rows, self._matches.pattern, match.ordinal)
        if spot is None:
            return TranscriptPlace(index, part, 0)
        return TranscriptPlace(index, part, line_of(document.lines(index, part), *spot))

    def _unfold(self, index: int, match: TranscriptMatch) -> None:
        """Unfold what contains a match."""
        box = self._viewport.document.turns[index]
        number = self._part(index, match)
        part = box.boxes[number].part if number is not None else None
        self._fold.keep_open()
        if part is not None and part.run is None and (match.head or not part.folded):
            return
        run = box.boxes[box.text_part(match.seq)].part.run
        if run is not None and match.head:
            self._fold.open(index, run)
        elif run is not None:
            self._fold.open(index, *box.folds_around(match.seq, match.seq))
        else:
            self._fold.open(index, match.seq)

    def _part(self, index: int, match: TranscriptMatch) -> int | None:
        """The index of the part with a match; None if it is not shown."""
        parts = self._viewport.document.turns[index].text_parts(match.seq)
        return parts[match.nth] if match.nth < len(parts) else None
