"""To which day of its session belongs what was done in it."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime

from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition

DayPart = tuple[int, int]
"""The key of a session without those above it, and the index of one of its days."""


class DayParts:
    """The parts of some sessions and of their subagents; sessions of one day have one part.

    `days` are those of the sessions, in order, and `top` the session of them that is above each session.
    """

    def __init__(self, snapshot: Snapshot, days: Mapping[int, Sequence[date]], top: Mapping[int, int]) -> None:
        self._days = days
        self._top = top
        self.of_several = {key for key, above in top.items() if len(days[above]) > 1}
        """The sessions that worked on several days, with their subagents."""
        self.turns: Counter[DayPart] = Counter()
        """The turns of the sessions themselves that began in each part."""
        self.first_turns: dict[DayPart, int] = {}
        """The number of the first turn that began in each part, or that went on in it."""
        self.prompts: dict[DayPart, int] = {}
        """The id of the first turn with a request in each part of the sessions that worked on several days."""
        self._of_turns: dict[int, int] = {}
        """The index of the day on which each turn of several days began, by its id."""
        self._lines: dict[int, tuple[list[int], list[int]]] = {}
        """The lines of the entries of turns that go on after midnight, with the index of the day of each."""
        alone = [key for key in days if key not in self.of_several]
        for key, count, first in snapshot.rows(
            f"SELECT session, count(*), min(number) FROM turns WHERE {key_condition('session', alone)} GROUP BY session"
        ):
            self.turns[key, 0], self.first_turns[key, 0] = count, first
        if self.of_several:
            self._read(snapshot)

    def on(self, session: int, day: date) -> DayPart:
        """The part of a day, or of the last one before it."""
        top = self._top[session]
        return top, max(0, bisect_right(self._days[top], day) - 1)

    def at(self, session: int, at: datetime | None) -> DayPart:
        """The part of a time in UTC without a zone; the first one if it is not known."""
        if at is None or session not in self.of_several:
            return self._top[session], 0
        return self.on(session, at.replace(tzinfo=UTC).astimezone().date())

    def of(self, session: int, turn: int | None, line: int | None) -> DayPart:
        """The part of an entry of a turn, by its line; neither matters for sessions of one day."""
        if session not in self.of_several or turn is None:
            return self._top[session], 0
        lines, places = self._lines.get(turn, ((), ()))
        before = bisect_right(lines, line or 0) - 1
        return self._top[session], places[before] if before >= 0 else self._of_turns.get(turn, 0)

    def _read(self, snapshot: Snapshot) -> None:
        over_night: dict[int, int] = {}
        going_on: dict[DayPart, int] = {}
        before: dict[int, int] = {}
        for turn, session, number, is_request, started, ended in snapshot.rows(
            "SELECT id, session, number, kind IN ('human', 'command', 'agent'), credible(started_at),"
            f" credible(ended_at) FROM turns WHERE {key_condition('session', self.of_several)} ORDER BY session, number"
        ):
            # A turn without a time goes with the one before it.
            part = self.at(session, started) if started is not None else (self._top[session], before.get(session, 0))
            last = self.at(session, ended) if ended is not None else part
            self._of_turns[turn] = before[session] = part[1]
            if last[1] > part[1]:
                over_night[turn] = session
            if session == part[0]:
                self.turns[part] += 1
                going_on |= {(session, place): number for place in range(part[1] + 1, last[1] + 1)}
                self.first_turns.setdefault(part, number)
                if is_request:
                    self.prompts.setdefault(part, turn)
        self.first_turns = going_on | self.first_turns
        for turn, line, at in snapshot.rows(
            "SELECT turn, line, min(at_time) FROM blocks"
            f" WHERE {key_condition('turn', over_night)} AND credible(at_time) IS NOT NULL GROUP BY turn, line"
            " ORDER BY turn, line"
        ):
            lines, places = self._lines.setdefault(turn, ([], []))
            lines.append(line)
            places.append(self.at(over_night[turn], at)[1])
