"""Going from match to match, also into what is folded and what was not read yet."""

from __future__ import annotations

from time import monotonic

from textual.message import Message

from memtui.render.marks import place as place_of
from memtui.render.toolheads import run_fold
from memtui.timers import call_after
from memtui.widgets.anchors import anchor, find
from memtui.widgets.document import Place
from memtui.widgets.fetching import Fetcher
from memtui.widgets.match_list import Match, MatchList
from memtui.widgets.reader import Reader

_SLICE = 0.008
"""Seconds of counting before the screen gets its turn."""
_PAUSE = 0.01
"""Seconds between two slices."""
_STEP = 50
"""Turns whose blocks are asked for at once only to count their matches."""


class MatchWalk(Fetcher):
    """A reader that counts the matches of some words, and goes to the next one."""

    class MatchChanged(Message, namespace="transcript"):
        """Another match is the current one, or more are known: `current` of `total`, 0 for none."""

        def __init__(self, current: int, total: int, complete: bool) -> None:
            super().__init__()
            self.current = current
            self.total = total
            self.complete = complete
            """All turns were counted."""

        def can_replace(self, message: Message) -> bool:
            """Only the last of several counts."""
            return isinstance(message, MatchWalk.MatchChanged)

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.matches = MatchList()
        self.number = 0
        """`Turn.number` of the current turn; 0 when there is none."""
        self._direction = 0
        """A step to a match that waits for blocks."""
        self._sought: int | None = None
        self._revealed: tuple[int, int] | None = None
        """Turn number and fold of what was opened for the current match."""
        self.counting = False
        """Matches are still counted, in slices."""

    def select(self, number: int) -> None:
        """Make a turn the current one."""

    def start_counting(self) -> None:
        """Count in the background what can be counted."""
        self._direction, self._sought, self._revealed = 0, None, None
        self._tell()
        self._count_later()

    def supplied(self) -> None:
        """More blocks are there."""
        if self._sought is not None:
            self.seek(self._sought)
        if self._direction:
            self.action_match(self._direction)
        self._count_later()

    def seek(self, number: int) -> None:
        """Go to the first match of a turn, as soon as its blocks are there."""
        document = self.document
        index = document.index.get(number)
        if index is None or self.matches.pattern is None:
            return
        self._sought = number
        if self._count(index):
            self._sought = None
            if found := self.matches.of(number):
                self.go_to(found[0])

    def _count_later(self) -> None:
        if self.matches.pattern is not None and not self.counting:
            self.counting = True
            call_after(self, _PAUSE, self._count_some)

    def _count_some(self) -> None:
        """Count for a few milliseconds, then let the screen go on; ask for blocks when there is nothing to count."""
        self.counting = False
        document = self.document
        if self.matches.pattern is None:
            return
        until, before = monotonic() + _SLICE, self.matches.total
        lacking: int | None = None
        for index, box in enumerate(document.turns):
            if self.matches.counted(box.turn.number):
                continue
            if box.blocks is None:
                lacking = index if lacking is None else lacking
                continue
            self._count(index)
            if monotonic() > until:
                self._count_later()
                break
        else:
            if lacking is not None:
                self.ask(lacking, lacking + _STEP)
        if self.matches.total != before or self._complete():
            self._tell()

    def _complete(self) -> bool:
        return all(self.matches.counted(box.turn.number) for box in self.document.turns)

    def _count(self, index: int) -> bool:
        """Count a turn now; False when its blocks are not there."""
        document = self.document
        box = document.turns[index]
        if box.blocks is None:
            return False
        self.matches.count(box.turn, box.blocks, document.view, document.width)
        return True

    def _tell(self) -> None:
        complete = self.matches.pattern is None or self._complete()
        self.post_message(self.MatchChanged(self.matches.position(), self.matches.total, complete))

    def action_match(self, direction: int) -> None:
        """Go to the next or the last match; from the last one to the first again."""
        document = self.document
        if not self.ready or self.matches.pattern is None:
            return
        current = self.matches.current
        start = document.index.get(current.number if current is not None else self.number, 0)
        self._direction = 0
        for step in range(len(document.turns) + 1):
            index = (start + step * direction) % len(document.turns)
            if not self._count(index):
                self._direction = direction
                self.ask(index, index + 1)
                return
            found = self.matches.of(document.turns[index].turn.number)
            if step == 0 and current is not None and current in found:
                found = found[found.index(current) + 1 :] if direction > 0 else found[: found.index(current)]
            elif step == 0 and direction < 0 and current is None:
                found = []
            if found:
                self.go_to(found[0 if direction > 0 else -1])
                return

    def go_to(self, match: Match) -> None:
        """Make a match the current one and show it; what it is folded into opens."""
        document = self.document
        assert self.matches.pattern is not None
        top = anchor(document, self.place)
        index = document.index[match.number]
        before, self.matches.current = self.matches.current, match
        if before is not None and (old := document.index.get(before.number)) is not None:
            document.forget(old)
        self._reveal(index, match)
        document.forget(index)
        self.place = find(document, top)
        place = self._place(index, match)
        document.settle_down(self.place, self.page)
        document.settle_down(place, self.page)
        below = document.top(place) - document.top(self.place)
        if not 0 <= below < self.page - 1:
            document.settle_up(place, self.page)
            target = max(0, document.top(place) - self.page // 3)
            self.at_end = False
            self.settle(document.at(target), beyond=False)
        else:
            self.settle(self.place)
        self.select(match.number)
        self.refresh()
        self._tell()

    def _place(self, index: int, match: Match) -> Place:
        """The line on which a match stands."""
        document = self.document
        assert self.matches.pattern is not None
        part = textual_part(self, index, match)
        if part is None:
            return Place(index, 0, 0)
        rows = document.turns[index].boxes[part].part.rows(document.width)
        found = place_of(rows, self.matches.pattern, match.ordinal)
        if found is None:
            return Place(index, part, 0)
        row, start = found
        lines = document.lines(index, part)
        best = max((i for i, line in enumerate(lines) if line.row == row and line.start <= start), default=0)
        return Place(index, part, best)

    def _reveal(self, index: int, match: Match) -> None:
        """Open what a match is folded into."""
        document = self.document
        part = textual_part(self, index, match)
        shown = document.turns[index].boxes[part].part if part is not None else None
        self._revealed = None
        if shown is not None and not shown.several and (match.head or not shown.folded):
            return
        run = self._run(index, match.seq)
        self.reveal(index, run_fold(run) if match.head and run is not None else match.seq)

    def reveal(self, index: int, fold: int) -> None:
        """Open something in a turn until `conceal` is called."""
        self._revealed = self.document.turns[index].turn.number, fold
        self.flip(index, fold)

    def conceal(self) -> None:
        """Close what was opened for the current match."""
        revealed, self._revealed = self._revealed, None
        if revealed is not None and (index := self.document.index.get(revealed[0])) is not None:
            self.flip(index, revealed[1])

    def _run(self, index: int, seq: int) -> int | None:
        """`Part.seq` of the run of calls that tells of a call."""
        document = self.document
        before = [box.part for box in document.turns[index].boxes if box.part.seq <= seq and box.part.texts]
        return before[-1].seq if before and before[-1].several else None

    def flip(self, index: int, fold: int) -> None:
        """Open or close something in a turn; the line at the top of the screen stays."""
        document = self.document
        mark = anchor(document, self.place)
        document.turns[index].flipped ^= {fold}
        document.make(index)
        self.drop_selection()
        self.resume(find(document, mark))


def textual_part(reader: Reader, index: int, match: Match) -> int | None:
    """The index of the part in which a match stands, None when it is not shown."""
    boxes = reader.document.turns[index].boxes
    same = [i for i, box in enumerate(boxes) if box.part.seq == match.seq and box.part.texts]
    return same[match.nth] if match.nth < len(same) else None
