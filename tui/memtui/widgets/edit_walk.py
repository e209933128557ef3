"""Going from edit to edit, and the tool call that a key means: the one gone to, else the first in sight."""

from __future__ import annotations

from memtui.render.calls import Call, calls_in
from memtui.widgets.document import Place, TurnBox
from memtui.widgets.navigation import Navigator
from memtui_core.tools.families import may_edit


class EditWalk(Navigator):
    """A reader that knows its tool calls."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._edit: tuple[int, int] | None = None
        """Turn number and `Block.seq` of the edit that was gone to."""
        self._to_edit = 0
        """A step to an edit that waits for blocks."""

    def start_counting(self) -> None:
        """Another session, or other words."""
        self._edit, self._to_edit = None, 0
        super().start_counting()

    def supplied(self) -> None:
        """More blocks are there."""
        super().supplied()
        if self._to_edit:
            self.action_edit(self._to_edit)

    def scrolled(self) -> None:
        """Who scrolls on leaves the edit behind."""
        self._edit = None
        super().scrolled()

    def action_edit(self, direction: int) -> None:
        """Go to the next edit of a file, or to the one before."""
        document = self.document
        self._to_edit = 0
        if not self.ready:
            return
        gone_to = self._edit is not None and self._in_sight(*self._edit)
        start = document.index[self._edit[0]] if gone_to and self._edit else self.place.turn
        for index in range(start, len(document.turns) if direction > 0 else -1, direction):
            box = document.turns[index]
            if not _has_edits(box):
                continue
            if box.blocks is None:
                self._to_edit = direction
                self.ask(index, index + 1)
                return
            edits = [seq for seq, call in self._calls(box).items() if call.is_edit]
            if index == start:
                edits = self._beyond_here(box, edits, direction, gone_to=gone_to)
            if edits:
                self._go_to_edit(index, edits[0] if direction > 0 else edits[-1])
                return
        self.notify("No edit after this one." if direction > 0 else "No edit before this one.")

    def _beyond_here(self, box: TurnBox, edits: list[int], direction: int, *, gone_to: bool) -> list[int]:
        here = self._edit[1] if gone_to and self._edit else box.boxes[self.place.part].part.seq
        # At the top of a turn its first edit is the next one, also where the line of it is the first.
        if direction > 0:
            return [seq for seq in edits if seq > here or (not gone_to and seq == here)]
        return [seq for seq in edits if seq < here]

    def go_to_call(self, number: int, tool: str, path: str) -> None:
        """Go to the first call of a tool on a file in a turn whose blocks are there."""
        index = self.document.index.get(number)
        if index is None:
            return
        name = path.rpartition("/")[2]
        calls = [call for call in self._calls(self.document.turns[index]).values() if call.name == tool]
        # A call in a worktree names the file by another path.
        same = [call for call in calls if path in call.paths] or [
            call for call in calls if call.path.rpartition("/")[2] == name
        ]
        for call in same[:1]:
            self._go_to_edit(index, call.seq)

    def _go_to_edit(self, index: int, seq: int) -> None:
        part = _part_of(self.document.turns[index], seq)
        self.at_end = False
        self.settle(Place(index, part, 0), beyond=True)
        number = self.document.turns[index].turn.number
        self.select(number)
        self._edit = number, seq

    def call_in_sight(self) -> Call | None:
        """The edit that was gone to, else the call of the current match or passage, else the first on the screen."""
        document = self.document
        if not self.ready:
            return None
        current = self.matches.current
        meant = [self._edit] if self._edit is not None else []
        meant += [(current.number, current.seq)] if current is not None else []
        of_passage = self.passage_call()
        meant += [of_passage] if of_passage is not None else []
        for number, seq in meant:
            if self._in_sight(number, seq):
                found = self._calls(document.turns[document.index[number]]).get(seq)
                if found is not None:
                    return found
        top = document.top(self.place)
        last = document.at(top + self.page - 1)
        for index in range(self.place.turn, last.turn + 1):
            box = document.turns[index]
            calls = self._calls(box)
            first = self.place.part if index == self.place.turn else 0
            end = last.part + 1 if index == last.turn else len(box.boxes)
            for one in box.boxes[first:end]:
                if one.part.seq in calls:
                    return calls[one.part.seq]
        return None

    def _in_sight(self, number: int, seq: int) -> bool:
        """A call is on the screen."""
        document = self.document
        index = document.index.get(number)
        if index is None:
            return False
        last = document.at(document.top(self.place) + self.page - 1)
        part = _part_of(document.turns[index], seq)
        return (self.place.turn, self.place.part) <= (index, part) <= (last.turn, last.part)

    def _calls(self, box: TurnBox) -> dict[int, Call]:
        return calls_in(box.blocks, self.document.view.root) if box.blocks is not None else {}


def _part_of(box: TurnBox, seq: int) -> int:
    """The index of the part that tells of a call."""
    return max((i for i, one in enumerate(box.boxes) if one.part.seq <= seq and one.part.texts), default=0)


def _has_edits(box: TurnBox) -> bool:
    return any(may_edit(line.split(" ", 1)[0].rstrip(":")) for line in box.turn.tool_summary)
