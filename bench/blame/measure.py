"""Claims compared with who really wrote the lines."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from bench.blame.changes import CHANGES
from bench.blame.replay import Owner, ReplayedFile, TrueLine
from memtui_core.memory.blame.attribution import attribute

_LETTER: Final = re.compile(r"\w")
_NEAR: Final = 40
"""Lines between two equal ones of which one can stand for the other."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A line of a file, who wrote it, and for whom it was claimed."""

    file: ReplayedFile
    change: str
    number: int
    line: TrueLine
    claimed: Owner | None
    lines: tuple[str, ...]
    """All lines of the file."""
    is_right: bool
    """Whether it is claimed for who wrote it, or instead of an equal line nearby, which is not claimed."""

    @property
    def agent(self) -> str:
        """The agent that wrote the line, or for which it was claimed."""
        owner = self.line.owner or self.claimed
        return self.file.agents[owner[0]] if owner is not None else ""


@dataclass(frozen=True, slots=True)
class Row:
    """Counts of lines of an agent after a change."""

    change: str
    agent: str
    owned: int
    """Lines that the agent wrote, and that nobody moved or indented."""
    found: int
    """Those of them that are claimed for the right turn."""
    telling: int
    """Those of the lines that have three letters or digits."""
    telling_found: int
    claimed: int
    right: int

    @property
    def precision(self) -> float:
        """The share of claims that are right."""
        return self.right / self.claimed if self.claimed else 1.0

    @property
    def recall(self) -> float:
        """The share of lines that are claimed for the right turn."""
        return self.found / self.owned if self.owned else 1.0

    @property
    def telling_recall(self) -> float:
        """The same of lines with three letters or digits."""
        return self.telling_found / self.telling if self.telling else 1.0


def verdicts(files: Iterable[ReplayedFile]) -> Iterator[Verdict]:
    """All lines of all files after each of the changes."""
    for file in files:
        for name, change in CHANGES.items():
            lines = change([_told(line, at) for at, line in enumerate(file.lines)], Random(f"{file.path} {name}"))
            texts = tuple(line.text or "" for line in lines)
            found = attribute(file.events, "".join(f"{text}\n" for text in texts))
            claimed = [(file.edits[at].session, file.edits[at].turn) if at is not None else None for at in found]
            exchanged = _exchanged(lines, claimed)
            for at, line in enumerate(lines):
                is_right = at in exchanged or (claimed[at] is not None and claimed[at] == line.owner)
                yield Verdict(file, name, at + 1, line, claimed[at], texts, is_right)


def _exchanged(lines: Sequence[TrueLine], claimed: Sequence[Owner | None]) -> set[int]:
    """The indexes of claims that an equal line nearby deserves, which nobody claims for its writer.

    Which of two equal lines was added, and which was there before, no comparison of texts tells.
    """
    missed: dict[tuple[str | None, Owner], list[int]] = defaultdict(list)
    for at, line in enumerate(lines):
        if line.owner is not None and claimed[at] != line.owner:
            missed[line.text, line.owner].append(at)
    exchanged: set[int] = set()
    for at, owner in enumerate(claimed):
        if owner is not None and owner != lines[at].owner:
            others = missed[lines[at].text, owner]
            if near := next((other for other in others if abs(other - at) <= _NEAR), None):
                others.remove(near)
                exchanged.add(at)
    return exchanged


def _told(line: TrueLine, at: int) -> TrueLine:
    """A line with a text, also if nobody has ever seen it."""
    return line if line.text is not None else TrueLine(f"never seen {at}")


def rows(judged: Iterable[Verdict]) -> list[Row]:
    """The counts by change and agent, and of all agents."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in judged:
        is_owned = one.line.owner is not None and not one.line.is_moved
        is_found = is_owned and one.claimed == one.line.owner
        is_telling = len(_LETTER.findall(one.line.text or "")) > 2
        for agent in (one.agent, "all"):
            counts[one.change, agent].update(
                owned=is_owned,
                found=is_found,
                telling=is_owned and is_telling,
                telling_found=is_found and is_telling,
                claimed=one.claimed is not None,
                right=one.is_right,
            )
    return [
        Row(
            *(change, agent, count["owned"], count["found"], count["telling"], count["telling_found"]),
            *(count["claimed"], count["right"]),
        )
        for (change, agent), count in sorted(
            counts.items(), key=lambda item: (list(CHANGES).index(item[0][0]), item[0])
        )
        if agent
    ]
