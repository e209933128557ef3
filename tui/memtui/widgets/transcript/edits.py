"""Navigation from edit to edit, whose diffs are unfolded, and the tool call on which a key acts."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memtui.render.calls import RenderedCall, rendered_calls
from memtui.widgets.transcript.block_loader import BlockLoader
from memtui.widgets.transcript.boxes import TranscriptPlace, TurnBox
from memtui.widgets.transcript.cursor import TurnCursor
from memtui.widgets.transcript.folding import TemporaryFold
from memtui.widgets.transcript.viewport import Viewport
from memtui_core.tools.families import may_edit


class EditNavigator:
    """Goes from edit to edit and unfolds the current one; `notify` gets a message if there are no more."""

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
        self._current: tuple[int, int] | None = None
        """`Turn.number` and `Block.seq` of the current edit."""
        self._pending_step = 0
        """The direction of a step that waits for blocks."""

    def reset(self) -> None:
        """Forget the current edit, as the turns or the highlighted words have changed."""
        self._current, self._pending_step = None, 0

    def leave(self) -> None:
        """Forget the current edit, as the user has scrolled away from it."""
        self._current = None

    def blocks_supplied(self) -> None:
        """Continue a step that waited for blocks."""
        if self._pending_step:
            self.step(self._pending_step)

    def step(self, direction: int) -> None:
        """Go to the next or the previous edit of a file."""
        document = self._viewport.document
        self._pending_step = 0
        if not self._viewport.ready:
            return
        current = self._current if self._current is not None and self._is_visible(*self._current) else None
        start = document.index[current[0]] if current is not None else self._viewport.place.turn
        for index in range(start, len(document.turns) if direction > 0 else -1, direction):
            box = document.turns[index]
            if not _has_edits(box):
                continue
            if box.blocks is None:
                self._pending_step = direction
                self._loader.load(index, index + 1)
                return
            edits = [seq for seq, call in self._calls(box).items() if call.is_edit]
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
        calls = [call for call in self._calls(self._viewport.document.turns[index]).values() if call.name == tool]
        # A call in a worktree names the file by another path.
        matching = [call for call in calls if path in call.paths] or [
            call for call in calls if any(other.rpartition("/")[2] == name for other in call.paths)
        ]
        for call in matching[:1]:
            self._go_to(index, call.seq)

    def _go_to(self, index: int, seq: int) -> None:
        box = self._viewport.document.turns[index]
        self._fold.close()
        part = box.boxes[box.text_part(seq)].part
        if part.folded or part.several:
            self._fold.open(index, seq)
        self._viewport.go_to(TranscriptPlace(index, box.text_part(seq), 0))
        self._cursor.select(box.turn.number)
        self._current = box.turn.number, seq

    def visible_call(self, preferred: Iterable[tuple[int, int]]) -> RenderedCall | None:
        """The current edit, or the first of `preferred` (`Turn.number`, `Block.seq`) that is on the screen.

        If none of them is visible, the first call on the screen.
        """
        document = self._viewport.document
        if not self._viewport.ready:
            return None
        for number, seq in ([self._current] if self._current is not None else []) + list(preferred):
            if self._is_visible(number, seq):
                call = self._calls(document.turns[document.index[number]]).get(seq)
                if call is not None:
                    return call
        place, bottom = self._viewport.place, self._viewport.bottom
        for index in range(place.turn, bottom.turn + 1):
            box = document.turns[index]
            calls = self._calls(box)
            first = place.part if index == place.turn else 0
            end = bottom.part + 1 if index == bottom.turn else len(box.boxes)
            for visible in box.boxes[first:end]:
                if visible.part.seq in calls:
                    return calls[visible.part.seq]
        return None

    def _is_visible(self, number: int, seq: int) -> bool:
        document = self._viewport.document
        index = document.index.get(number)
        return index is not None and self._viewport.shows(index, document.turns[index].text_part(seq))

    def _calls(self, box: TurnBox) -> dict[int, RenderedCall]:
        """The tool calls of a turn by the `Block.seq` of each."""
        return rendered_calls(box.blocks, self._viewport.document.options.root) if box.blocks is not None else {}


def _has_edits(box: TurnBox) -> bool:
    return any(may_edit(line.split(" ", 1)[0].rstrip(":")) for line in box.turn.tool_summary)
