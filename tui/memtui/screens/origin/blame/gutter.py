"""What stands before each line of a file: the turn that wrote it, how long ago, its agent, and the number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final

from memtui.render.clean import clean
from memtui.render.rows import Span
from memtui.wording.formatting import SHORT_SESSION, age, agent_name, number, plural, short_turn
from memtui_core.index.files import BlamedLine, LineWriter

_TURN_CELLS: Final = SHORT_SESSION + 3
_AGENT_CELLS: Final = 6
"""The least widths of the columns of turns and agents, so that the text does not move when they are known."""
_AGE_CELLS: Final = 5
_AGENT_FROM: Final = 100
"""Cells from which on there is room for the agent."""
_AGE_FROM: Final = 60
"""Cells from which on there is room for the age."""
_BRACKETS: Final = {"wrote": ("╶", "╭", "│", "╰"), "committed": ("╶", "╭", "┆", "╰")}
"""The signs of a run by its evidence: of its only line, its first one, those between, and its last one."""
_UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class LineRun:
    """Lines in a row that one turn wrote, or of which nothing proves who wrote them."""

    first: int
    """The index of its first line."""
    end: int
    """The index after its last line."""
    line: BlamedLine
    """Its first line."""

    @property
    def turn(self) -> tuple[int, int] | None:
        """The key of the session and the number of the turn; None if nothing proves who wrote it."""
        return turn_of(self.line.writer)


def turn_of(writer: LineWriter | None) -> tuple[int, int] | None:
    """The key of the session and the number of the turn that wrote a line."""
    return (writer.session, writer.turn) if writer is not None else None


def turn_name(writer: LineWriter) -> str:
    """The turn as commands take it: `1a2b3c4d:12`."""
    return short_turn(clean(writer.session_id), writer.turn)


def runs_of(lines: Sequence[BlamedLine]) -> list[LineRun]:
    """The lines of a file by who wrote them and by what proves it."""
    runs: list[LineRun] = []
    for _, group in groupby(lines, lambda line: (turn_of(line.writer), line.evidence, line.commit)):
        own = list(group)
        runs.append(LineRun(own[0].number - 1, own[-1].number, own[0]))
    return runs


def facts_of(lines: Sequence[BlamedLine], now: datetime) -> str:
    """`214 of 240 lines proved · 12 turns · newest 3 d`."""
    writers = [line.writer for line in lines if line.writer is not None]
    turns = {turn_of(writer) for writer in writers}
    times = [writer.at for writer in writers if writer.at is not None]
    facts = [f"{number(len(writers))} of {plural(len(lines), 'line')} proved"]
    if turns:
        facts.append(plural(len(turns), "turn"))
    if times:
        facts.append(f"newest {age(max(times), now)}")
    return " · ".join(facts)


class Gutter:
    """The columns before the lines of a file; before the turns are known, only the numbers.

    All spans have the style `gutter`, so that they are not copied.
    """

    def __init__(self, count: int, lines: Sequence[BlamedLine], now: datetime) -> None:
        self.runs = runs_of(lines)
        self._run_of = [at for at, run in enumerate(self.runs) for _ in range(run.first, run.end)]
        self._now = now
        writers = [run.line.writer for run in self.runs if run.line.writer is not None]
        self._turn_cells = max((_TURN_CELLS, *(len(turn_name(writer)) for writer in writers)))
        self._agent_cells = max((_AGENT_CELLS, *(len(agent_name(writer.agent)) for writer in writers)))
        self._digits = len(str(count))

    def run_at(self, index: int) -> LineRun | None:
        """The run of a line; None before the turns are known."""
        return self.runs[self._run_of[index]] if index < len(self._run_of) else None

    def spans(self, index: int, width: int, chosen: tuple[int, int] | None) -> tuple[Span, ...]:
        """The gutter of a line on a screen of some width; the runs of the `chosen` turn are marked."""
        run = self.run_at(index)
        turn, ago, agent = self._facts(run) if run is not None and index == run.first else ("", "", "")
        facts = f"{turn:<{self._turn_cells}}"
        if width >= _AGE_FROM:
            facts += f" {ago:>{_AGE_CELLS}}"
        if width >= _AGENT_FROM:
            facts += f"  {agent:<{self._agent_cells}}"
        is_chosen = run is not None and run.turn is not None and run.turn == chosen
        bracket = "gutter passage" if is_chosen else "gutter"
        name = "gutter tool" if run is not None and run.turn is not None else "gutter"
        return (
            (f"{_bracket(run, index)} ", bracket),
            (facts[: self._turn_cells], name),
            (f"{facts[self._turn_cells :]}  {index + 1:>{self._digits}}  ", "gutter"),
        )

    def _facts(self, run: LineRun) -> tuple[str, str, str]:
        writer = run.line.writer
        if writer is None:
            return _UNKNOWN, "", ""
        return turn_name(writer), age(writer.at, self._now), agent_name(writer.agent)


def _bracket(run: LineRun | None, index: int) -> str:
    """The sign that shows where a run begins and ends."""
    if run is None or run.line.evidence is None:
        return " "
    only, first, between, last = _BRACKETS[run.line.evidence]
    if run.end - run.first == 1:
        return only
    return first if index == run.first else last if index == run.end - 1 else between
