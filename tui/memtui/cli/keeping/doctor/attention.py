"""What needs attention, in words: each finding with the agent, and the first files that it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui.cli.keeping.doctor.agents import at_home
from memtui.wording.formatting import plural

if TYPE_CHECKING:
    from memtui_core.queries.sources import SourceRow
    from memtui_core.queries.statistics.drift import Drift
    from memtui_core.readers.added_agents import BrokenAgent

_MOST_FILES: Final = 3
"""Files that are named for one finding; `--json` lists all of them."""
_READ: Final = frozenset({"ok", "partial"})


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that needs attention."""

    text: str
    details: tuple[str, ...] = ()
    """Paths with the reason, each on a line of its own."""


def findings(
    rows: Sequence[SourceRow],
    sessions: Mapping[str, int],
    names: Mapping[str, str],
    drifts: Sequence[Drift],
    broken: Sequence[BrokenAgent],
) -> Iterator[Finding]:
    """What needs attention, the worst first.

    `sessions` is the number of sessions of each agent, `names` the names of agents in a sentence, both by the agent.
    `broken` are agents of other packages.
    """
    for entry in broken:
        yield Finding(f"the agent of another package, {entry.name}, cannot be read", (entry.reason,))
    for agent, own in _by_agent(rows, "error"):
        lines = [f"{at_home(row.path)}: {_reason(row)}" for row in own]
        yield Finding(f"{_named(names, agent)}: {_files(len(own))} could not be read", _cut(lines))
    for agent, own in _by_agent(rows, "partial"):
        lines = list(map(_skipped, own))
        verb = "has" if len(own) == 1 else "have"
        yield Finding(f"{_named(names, agent)}: {_files(len(own))} {verb} lines that could not be read", _cut(lines))
    for agent in sorted({row.agent for row in rows if row.state in _READ and row.lines} - {"memtui"}):
        own = [row for row in rows if row.agent == agent and row.state in _READ and row.lines]
        if not sessions.get(agent):
            verb = "was" if len(own) == 1 else "were"
            text = f"{_named(names, agent)}: {_files(len(own))} {verb} read, and not one turn was found"
            yield Finding(text, _cut([at_home(row.path) for row in own]))
    for agent, own in _by_agent(rows, "waiting"):
        verb = "ends" if len(own) == 1 else "end"
        text = f"{_named(names, agent)}: {_files(len(own))} {verb} in the middle of a line, which is not read yet"
        yield Finding(text, _cut([at_home(row.path) for row in own]))
    for agent, own in _by_agent(rows, "ignored"):
        for reason, same in groupby(sorted(own, key=_kind_of_reason), _kind_of_reason):
            kinds = Counter(Path(row.path).suffix or "without a suffix" for row in same)
            shown = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
            lead = f"{_named(names, agent)}: " if agent else ""
            yield Finding(f"{lead}{_files(kinds.total())} ignored: {reason} ({shown})")
    for drift in drifts:
        yield from map(Finding, drift.sentences())


def _by_agent(rows: Iterable[SourceRow], state: str) -> Iterator[tuple[str, list[SourceRow]]]:
    own: dict[str, list[SourceRow]] = {}
    for row in rows:
        if row.state == state:
            own.setdefault(row.agent, []).append(row)
    yield from sorted(own.items())


def _named(names: Mapping[str, str], agent: str) -> str:
    return names.get(agent, agent)


def _files(count: int) -> str:
    return plural(count, "file")


def _skipped(row: SourceRow) -> str:
    """The first line of a file that could not be read, and the number of others."""
    [(line, reason), *others] = row.skipped
    more = f", and {plural(len(others), 'other line')}" if others else ""
    return f"{at_home(row.path)}, line {line + 1}: {reason}{more}"


def _reason(row: SourceRow) -> str:
    """Why a file was not read, without its path, which stands before it."""
    return (row.error or "no reason is known").removeprefix(row.path).lstrip("/: ")


def _kind_of_reason(row: SourceRow) -> str:
    """The reason without what differs between files."""
    return _reason(row).partition(": ")[0]


def _cut(lines: Sequence[str]) -> tuple[str, ...]:
    more = len(lines) - _MOST_FILES
    return (*lines[:_MOST_FILES], f"and {more} more: memtui doctor --json") if more > 0 else tuple(lines)
