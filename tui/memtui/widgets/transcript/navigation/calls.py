"""Tool calls: going from edit to edit, from call to call or to one that is named, and the call on which a key acts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from memtui.render.rows import GAP
from memtui.render.tools.calls import RenderedCall
from memtui.widgets.transcript.layout.block_loader import BlockLoader
from memtui.widgets.transcript.layout.boxes import TranscriptPlace, TurnBox
from memtui.widgets.transcript.layout.viewport import Viewport
from memtui.widgets.transcript.navigation.cursor import TurnCursor
from memtui.widgets.transcript.navigation.folding import TemporaryFold
from memtui.widgets.transcript.navigation.matches import MatchList
from memtui.widgets.transcript.navigation.passages import PassageNavigator
from memtui_core.tools.turn_text import tool_of_line
from memtui_core.tools.vocabulary import vocabulary


@dataclass(frozen=True, slots=True)
class CallKind:
    """The calls among which a key goes to the next one."""

    noun: str
    may_be: Callable[[str], bool]
    """Whether a call of a tool with a name can be one of them: if not, the blocks of a turn are not loaded."""
    includes: Callable[[RenderedCall], bool]


EDITS = CallKind("edit", lambda tool: vocabulary().may_edit(tool), lambda call: call.is_edit)
CALLS = CallKind("tool call", lambda _: True, lambda _: True)
SUBAGENTS = CallKind(
    "call of a subagent",
    lambda tool: vocabulary().family_of(tool) in {"task", "other"},
    lambda call: call.subagent is not None,
)
_STEP = 20
"""Turns whose blocks are requested at once to look for a call."""


class CallNavigator:
    """Goes from edit to edit and unfolds the current one, or from call to call.

    `notify` gets a message if there are no more.
    """

    def __init__(
        self,
        viewport: Viewport,
        loader: BlockLoader,
        cursor: TurnCursor,
        fold: TemporaryFold,
        notify: Callable[[str], None],
    ) -> None:
        self._viewport = viewport
        self._loader = loader
        self._cursor = cursor
        self._fold = fold
        self._notify = notify
        self.current: tuple[int, int] | None = None
        """`Turn.number` and `Block.seq` of the current call."""
        self._pending: Callable[[], None] | None = None
        """What waits for blocks."""

    def reset(self) -> None:
        """Forget the current call, as the turns or the highlighted words have changed."""
        self.current = self._pending = None

    def leave(self) -> None:
        """Forget the current call if the user has scrolled away from it."""
        if self.current is not None and not self._viewport.shows(*self.current):
            self.current = None

    def blocks_supplied(self) -> None:
        """Continue what waited for blocks."""
        pending, self._pending = self._pending, None
        if pending is not None:
            pending()

    def step(self, direction: int, kind: CallKind = EDITS) -> None:
        """Go to the next or the previous call of a kind: unfold an edit, and only mark any other call."""
        place = "after" if direction > 0 else "before"
        self._find(direction, kind, lambda: self._notify(f"No {kind.noun} {place} this one."))

    def go_to_any(self, kind: CallKind) -> None:
        """Go to the next call of a kind, or else to the previous one."""
        self._find(1, kind, lambda: self._find(-1, kind, lambda: self._notify(f"This session has no {kind.noun}.")))

    def _find(self, direction: int, kind: CallKind, missing: Callable[[], None]) -> None:
        """Go to the next or the previous call of a kind; call `missing` if there is none."""
        document = self._viewport.document
        self._pending = None
        if not self._viewport.ready:
            return
        current = self.current if self.current is not None and self._viewport.shows(*self.current) else None
        start = document.index[current[0]] if current is not None else self._viewport.place.turn
        for index in range(start, len(document.turns) if direction > 0 else -1, direction):
            box = document.turns[index]
            if not any(kind.may_be(tool_of_line(line)) for line in box.turn.tool_summary):
                continue
            if box.blocks is None:
                self._pending = partial(self._find, direction, kind, missing)
                first = index if direction > 0 else max(0, index + 1 - _STEP)
                self._loader.load(first, first + _STEP)
                return
            calls = [seq for seq, call in document.calls(index).items() if kind.includes(call)]
            if index == start:
                calls = self._further(box, calls, direction, current[1] if current is not None else None)
            if calls:
                show = self._go_to if kind is EDITS else self._mark
                show(index, calls[0] if direction > 0 else calls[-1])
                return
        missing()

    def _further(self, box: TurnBox, calls: list[int], direction: int, current: int | None) -> list[int]:
        """The calls of the turn at the top that are after the current one, or before it."""
        start = box.boxes[self._viewport.place.part].part.seq if current is None else current
        # At the top of a turn its first call is the next one, even if its line is the first line.
        if direction > 0:
            return [seq for seq in calls if seq > start or (current is None and seq == start)]
        return [seq for seq in calls if seq < start]

    def go_to_call(self, number: int, tool: str, path: str) -> None:
        """Go to the first call of a tool on a file in a turn whose blocks are loaded."""
        index = self._viewport.document.index.get(number)
        if index is None:
            return
        name = path.rpartition("/")[2]
        calls = [call for call in self._viewport.document.calls(index).values() if call.name == tool]
        # A call in a worktree names the file by another path.
        matching = [call for call in calls if path in call.paths] or [
            call for call in calls if any(other.rpartition("/")[2] == name for other in call.paths)
        ]
        for call in matching[:1]:
            self._go_to(index, call.seq)

    def go_to_call_id(self, number: int, tool_id: str) -> None:
        """Go to the call with an id in a turn whose blocks are loaded."""
        document = self._viewport.document
        if (index := document.index.get(number)) is not None:
            seqs = (seq for seq, call in document.calls(index).items() if call.block.tool_id == tool_id)
            if (seq := next(seqs, None)) is not None:
                self._go_to(index, seq)

    def go_to_call_at(self, number: int, seq: int) -> None:
        """Go to the call with a `Block.seq` in a turn whose blocks are loaded."""
        document = self._viewport.document
        if (index := document.index.get(number)) is not None and seq in document.calls(index):
            self._go_to(index, seq)

    def go_to_nth(self, number: int, nth: int | None) -> None:
        """Go to a call of a turn, counted from 0, or to the first with an error, as soon as the blocks are loaded."""
        document = self._viewport.document
        self._pending, index = None, document.index.get(number)
        if index is None:
            return
        box = document.turns[index]
        if box.blocks is None:
            self._pending = partial(self.go_to_nth, number, nth)
            self._loader.load(index, index + 1)
            return
        # The result of a call of an earlier turn is no call of this one.
        calls = [call for call in document.calls(index).values() if not call.tool.is_orphan]
        if nth is None:
            calls = [call for call in calls if call.result is not None and call.result.is_error]
        if chosen := calls[nth or 0 : (nth or 0) + 1]:
            self._go_to(index, chosen[0].seq)
        else:
            self._cursor.go_to(number)

    def _go_to(self, index: int, seq: int) -> None:
        box = self._viewport.document.turns[index]
        self._fold.close()
        self._fold.open(index, *box.folds_around(seq, seq))
        self._viewport.go_to(TranscriptPlace(index, box.text_part(seq), 0))
        self._cursor.select(box.turn.number)
        self.current = box.turn.number, seq

    def _mark(self, index: int, seq: int) -> None:
        """Make a call the current one and bring its line into view, listed if it is one of several in a line."""
        box = self._viewport.document.turns[index]
        if (run := box.boxes[box.text_part(seq)].part.run) is not None:
            self._fold.close()
            self._fold.open(index, run)
        place = TranscriptPlace(index, box.text_part(seq), 0)
        self._viewport.reveal(place, place)
        self._cursor.select(box.turn.number)
        self.current = box.turn.number, seq

    def choose(self, index: int, seq: int) -> None:
        """Make a call of a turn the current one, without scrolling; anything else is ignored."""
        document = self._viewport.document
        if seq in document.calls(index):
            self.current = document.turns[index].turn.number, seq

    def is_current(self, place: TranscriptPlace) -> bool:
        """Whether the line at a place is the heading of the current call."""
        if self.current is None:
            return False
        document, (number, seq) = self._viewport.document, self.current
        box = document.turns[place.turn]
        if box.turn.number != number or seq not in box.boxes[place.part].part.blocks:
            return False
        return place.line == next(i for i, line in enumerate(document.lines(place.turn, place.part)) if line.seq != GAP)


class VisibleCall:
    """Finds, on the screen, the call where the user is, or else the first one."""

    def __init__(
        self, viewport: Viewport, calls: CallNavigator, matches: MatchList, passages: PassageNavigator
    ) -> None:
        self._viewport = viewport
        self._calls = calls
        self._matches = matches
        self._passages = passages

    def find(self, accept: Callable[[RenderedCall], bool] = lambda _: True) -> RenderedCall | None:
        """The current call, or that of the current match or passage, or the first call on the screen.

        Only calls that `accept` accepts count.
        """
        candidates = (*self._current(), *self._on_screen()) if self._viewport.ready else ()
        return next(filter(accept, candidates), None)

    def _current(self) -> Iterator[RenderedCall]:
        """The current call, and those of the current match and passage, that are on the screen."""
        document, match = self._viewport.document, self._matches.current
        of_match = (match.number, match.seq) if match is not None else None
        for number, seq in filter(None, (self._calls.current, of_match, self._passages.call())):
            if self._viewport.shows(number, seq) and (call := document.calls(document.index[number]).get(seq)):
                yield call

    def _on_screen(self) -> Iterator[RenderedCall]:
        document, top, bottom = self._viewport.document, self._viewport.place, self._viewport.bottom
        for index in range(top.turn, bottom.turn + 1):
            box, calls = document.turns[index], document.calls(index)
            first = top.part if index == top.turn else 0
            end = bottom.part + 1 if index == bottom.turn else len(box.boxes)
            for visible in box.boxes[first:end]:
                yield from (call for seq, call in calls.items() if seq in visible.part.blocks)
