"""What the lines of the log add up to."""

from __future__ import annotations

from dataclasses import replace

from memtui_core.memory.lines import BadLine, Entry, parse
from memtui_core.memory.log import Line
from memtui_core.memory.values import Observation


class State:
    """All observations, the forgotten ones too, in the order in which they were saved."""

    def __init__(self) -> None:
        self.known: dict[str, Observation] = {}
        self.ends: dict[str, int] = {}
        """Offset in the log behind the last line that speaks of each."""
        self.skipped: list[tuple[int, str]] = []
        """Line number, from 1, and reason of each line that could not be used."""

    def take(self, line: Line) -> None:
        """Apply one line; lines of another kind are passed over."""
        try:
            entry = parse(line.text)
            if entry is not None:
                self.known[entry.id] = self._applied(entry)
                self.ends[entry.id] = line.end
        except BadLine as error:
            self.skipped.append((line.number, str(error)))

    def _applied(self, entry: Entry) -> Observation:
        before = self.known.get(entry.id)
        if entry.kind == "observation":
            if before is not None:
                raise BadLine(f"{entry.id} is saved already")
            assert entry.content is not None
            return Observation(entry.id, entry.session_id, entry.root, entry.at, entry.content, entry.tool_name)
        if before is None:
            raise BadLine(f"{entry.id} was never saved")
        if entry.content is not None:
            return replace(before, content=entry.content, revision=before.revision + 1, edited_at=entry.at)
        return replace(before, forgotten_at=entry.at if entry.kind == "observation_forgotten" else None)
