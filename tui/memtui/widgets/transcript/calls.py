"""Navigation to tool calls, which are unfolded: from edit to edit, or to one that is named or counted."""

from __future__ import annotations

from collections.abc import Callable

from memtui.widgets.transcript.block_loader import BlockLoader
from memtui.widgets.transcript.boxes import TranscriptPlace, TurnBox
from memtui.widgets.transcript.cursor import TurnCursor
from memtui.widgets.transcript.folding import TemporaryFold
from memtui.widgets.transcript.viewport import Viewport
from memtui_core.tools.families import may_edit
from memtui_core.tools.summary import tool_of_line


class CallNavigator:
    """Goes to tool calls and unfolds the current one; `notify` gets a message if there are no more edits."""

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
        self._pending_step = 0
        """The direction of a step that waits for blocks."""
        self._pending_call: tuple[int, int | None] | None = None
        """The arguments of `go_to_nth` that wait for blocks."""

    def reset(self) -> None:
        """Forget the current call, as the turns or the highlighted words have changed."""
        self.current, self._pending_step, self._pending_call = None, 0, None

    def leave(self) -> None:
        """Forget the current call, as the user has scrolled away from it."""
        self.current = None

    def blocks_supplied(self) -> None:
        """Continue what waited for blocks."""
        if self._pending_call is not None:
            self.go_to_nth(*self._pending_call)
        if self._pending_step:
            self.step(self._pending_step)

    def step(self, direction: int) -> None:
        """Go to the next or the previous edit of a file."""
        document = self._viewport.document
        self._pending_step, self._pending_call = 0, None
        if not self._viewport.ready:
            return
        current = self.current if self.current is not None and self._viewport.shows(*self.current) else None
        start = document.index[current[0]] if current is not None else self._viewport.place.turn
        for index in range(start, len(document.turns) if direction > 0 else -1, direction):
            box = document.turns[index]
            if not _has_edits(box):
                continue
            if box.blocks is None:
                self._pending_step = direction
                self._loader.load(index, index + 1)
                return
            edits = [seq for seq, call in document.calls(index).items() if call.is_edit]
            if index == start:
                edits = self._further(box, edits, direction, current[1] if current is not None else None)
            if edits:
                self._go_to(index, edits[0] if direction > 0 else edits[-1])
                return
        self._notify("No edit after this one." if direction > 0 else "No edit before this one.")

    def _further(self, box: TurnBox, edits: list[int], direction: int, current: int | None) -> list[int]:
        """The edits of the turn at the top that are after the current one, or before it."""
        start = box.boxes[self._viewport.place.part].part.seq if current is None else current
        # At the top of a turn its first edit is the next one, even if its line is the first line.
        if direction > 0:
            return [seq for seq in edits if seq > start or (current is None and seq == start)]
        return [seq for seq in edits if seq < start]

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

    def go_to_nth(self, number: int, nth: int | None) -> None:
        """Go to a call of a turn, counted from 0, or to the first with an error, as soon as the blocks are loaded."""
        document = self._viewport.document
        self._pending_call, index = None, document.index.get(number)
        if index is None:
            return
        box = document.turns[index]
        if box.blocks is None:
            self._pending_call = number, nth
            self._loader.load(index, index + 1)
            return
        calls = list(document.calls(index).values())
        if nth is None:
            calls = [call for call in calls if call.result is not None and call.result.is_error]
        if chosen := calls[nth or 0 : (nth or 0) + 1]:
            self._go_to(index, chosen[0].seq)
        else:
            self._cursor.go_to(number)

    def _go_to(self, index: int, seq: int) -> None:
        box = self._viewport.document.turns[index]
        self._fold.close()
        part = box.boxes[box.text_part(seq)].part
        if part.folded or part.several:
            self._fold.open(index, seq)
        self._viewport.go_to(TranscriptPlace(index, box.text_part(seq), 0))
        self._cursor.select(box.turn.number)
        self.current = box.turn.number, seq


def _has_edits(box: TurnBox) -> bool:
    return any(may_edit(tool_of_line(line)) for line in box.turn.tool_summary)
