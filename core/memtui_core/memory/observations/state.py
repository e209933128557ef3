"""The observations that result from the records of the log."""

from __future__ import annotations

from dataclasses import replace

from memtui_core.memory.observations.log import LogLine
from memtui_core.memory.observations.observation import Observation
from memtui_core.memory.observations.records import BadRecord, ObservationRecord, parse_record


class LogState:
    """All observations, including the forgotten ones, in the order in which they were saved."""

    def __init__(self) -> None:
        self.observations: dict[str, Observation] = {}
        """By id."""
        self.ends: dict[str, int] = {}
        """By id, the offset in the log after the last record of the observation."""
        self.skipped: list[tuple[int, str]] = []
        """Line number, from 1, and reason of each line that could not be applied."""

    def apply(self, line: LogLine) -> None:
        """Apply one line; records of another kind change nothing."""
        try:
            record = parse_record(line.text)
            if record is not None:
                self.observations[record.id] = self._applied(record)
                self.ends[record.id] = line.end
        except BadRecord as error:
            self.skipped.append((line.number, str(error)))

    def _applied(self, record: ObservationRecord) -> Observation:
        previous = self.observations.get(record.id)
        if record.kind == "observation":
            if previous is not None:
                raise BadRecord(f"{record.id} is already saved")
            assert record.content is not None
            return Observation(record.id, record.session_id, record.root, record.at, record.content, record.tool_name)
        if previous is None:
            raise BadRecord(f"{record.id} was never saved")
        if record.content is not None:
            return replace(previous, content=record.content, revision=previous.revision + 1, edited_at=record.at)
        return replace(previous, forgotten_at=record.at if record.kind == "observation_forgotten" else None)
