"""Sources with the state in which they were last read, and the size of the index."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from memtui_core.model import Stats
from memtui_core.queries.columns import Column, Columns, label, labels, timestamp
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text import controls


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source as `memtui doctor` shows it."""

    path: str
    agent: str
    session_ids: tuple[str, ...]
    state: str
    """ok, partial (lines skipped), waiting (a half last line), copy (every entry counts elsewhere), prompts (only the
    prompts of a session), superseded (those of a known session), empty, ignored, excluded (by the settings), forgotten
    (by the user), error or gone."""
    lines: int
    skipped: tuple[tuple[int, str], ...]
    """(line, reason) of each line that could not be read."""
    error: str | None


_SOURCE = Columns(
    SourceRow,
    path=label("f.path"),
    agent=label("f.agent"),
    session_ids=labels(
        "(SELECT list(DISTINCT n.session_id ORDER BY n.session_id) FROM sessions n WHERE n.key = f.session"
        " OR n.key IN (SELECT t.session FROM turns t WHERE t.source = f.id))"
    ),
    state="CASE WHEN f.gone_at IS NULL THEN f.state ELSE 'gone' END",
    lines="f.lines",
    skipped=Column(
        "(SELECT list([b.line::VARCHAR, b.reason] ORDER BY b.line) FROM bad_lines b WHERE b.source = f.id)",
        lambda skipped: tuple((int(line), controls.label(reason)) for line, reason in skipped),
        (),
    ),
    error=label("f.error"),
)
SHOWN_TURNS = "FROM turns t JOIN sessions s ON s.key = t.session WHERE NOT s.hidden"
"""The turns that are counted."""
_STATS = Columns(
    Stats,
    sessions=f"(SELECT count(DISTINCT t.session) {SHOWN_TURNS} AND s.parent IS NULL)",
    # `read_stats` replaces it.
    turns="0",
    sources="(SELECT count(*) FROM sources)",
    bad_sources="(SELECT count(*) FROM sources WHERE state = 'error' AND gone_at IS NULL)",
    skipped_lines="(SELECT count(*) FROM bad_lines)",
    indexed_at=timestamp("(SELECT max(indexed_at) FROM sources)"),
)


_HAS_UNKNOWN = "AND s.key IN (SELECT f.session FROM sources f WHERE f.id IN (SELECT u.source FROM unknown_entries u))"


@dataclass(frozen=True, slots=True)
class AgentCounts:
    """What the index has of one agent."""

    sessions: int
    """Sessions with turns; subagents are not counted."""
    unknown_entries: dict[str, int]
    """The number of entries of each type that the reader does not know, the most frequent first."""
    newest_version: str = ""
    """The newest version of the agent that wrote a session; empty if the sessions name none."""
    unknown_version: str = ""
    """The newest version that wrote a session with such entries; empty if the sessions name none."""


def count_by_agent(snapshot: Snapshot) -> dict[str, AgentCounts]:
    """What the index has of each agent, by its id."""
    sessions = dict(
        snapshot.rows(f"SELECT s.agent, count(DISTINCT t.session) {SHOWN_TURNS} AND s.parent IS NULL GROUP BY s.agent")
    )
    unknown: dict[str, dict[str, int]] = {}
    for agent, kind, count in snapshot.rows(
        "SELECT f.agent, u.kind, count(*) FROM unknown_entries u JOIN sources f ON f.id = u.source"
        " GROUP BY ALL ORDER BY count(*) DESC, u.kind"
    ):
        unknown.setdefault(agent, {})[controls.label(kind)] = count
    newest = _newest_versions(snapshot, "")
    of_unknown = _newest_versions(snapshot, _HAS_UNKNOWN) if unknown else {}
    agents = sessions.keys() | unknown.keys()
    return {
        agent: AgentCounts(
            sessions.get(agent, 0), unknown.get(agent, {}), newest.get(agent, ""), of_unknown.get(agent, "")
        )
        for agent in sorted(agents)
    }


def _newest_versions(snapshot: Snapshot, condition: str) -> dict[str, str]:
    """The newest version of each agent that wrote one of some sessions."""
    versions: dict[str, str] = {}
    query = f"SELECT DISTINCT agent, version FROM sessions s WHERE version IS NOT NULL {condition}"
    for agent, version in snapshot.rows(query):
        versions[agent] = max(versions.get(agent, ""), controls.label(version), key=version_numbers)
    return versions


def version_numbers(version: str) -> tuple[int, ...]:
    """The numbers in the name of a version, by which versions are compared."""
    return tuple(int(number[:9]) for number in re.findall(r"\d+", version))


def list_sources(snapshot: Snapshot) -> list[SourceRow]:
    """Every source that the indexer knows, with its state, by path."""
    return _SOURCE.select(snapshot, "FROM sources f ORDER BY f.path")


def read_stats(snapshot: Snapshot) -> Stats:
    """The size of the index."""
    [stats] = _STATS.select(snapshot, "")
    counts = count_turns(snapshot)
    return replace(stats, turns=counts.turns, embedded_turns=counts.embedded)


class TurnCounts(NamedTuple):
    """Counts of turns."""

    turns: int
    embedded: int


def count_turns(snapshot: Snapshot) -> TurnCounts:
    """The counts of a snapshot."""
    return snapshot.cached("turn counts", lambda: _read(snapshot))


def _read(snapshot: Snapshot) -> TurnCounts:
    # The first schema has no vectors.
    embedded = "0" if snapshot.version == 1 else "(SELECT count(DISTINCT turn) FROM chunks)"
    [row] = snapshot.rows(f"SELECT (SELECT count(*) {SHOWN_TURNS}), {embedded}")
    return TurnCounts(*row)
