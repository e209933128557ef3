"""Counts: of the work over days, and of the index itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from memtui_core.model import Stats
from memtui_core.queries.sources import AgentCounts, SourceRow, count_by_agent, list_sources, read_stats
from memtui_core.queries.statistics.counts import (
    AgentUse,
    DayCount,
    FileUse,
    ModelUse,
    ProjectUse,
    Statistics,
    Totals,
    statistics,
)
from memtui_core.queries.statistics.drift import Drift, drifts_of
from memtui_core.queries.statistics.prices import Cost, Prices, load_prices, total_cost
from memtui_core.queries.statistics.redactions import RedactedTurn, redacted_turns
from memtui_core.queries.statistics.saved import Sweep, coming_sweeps, count_saved
from memtui_core.queries.statistics.usage import SessionUsage, read_usage
from memtui_core.store.snapshot.storage import Storage, storage_of

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.readers.locations import Location

__all__ = [
    "AgentUse",
    "Cost",
    "DayCount",
    "Drift",
    "FileUse",
    "IndexStatistics",
    "ModelUse",
    "Prices",
    "ProjectUse",
    "RedactedTurn",
    "SessionUsage",
    "Statistics",
    "Sweep",
    "Totals",
    "drifts_of",
    "load_prices",
    "total_cost",
]


class IndexStatistics:
    """Counts of sessions, turns, tools, files and tokens, and the size of the index."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def of_work(self, root: str | None = None, days: int | None = None, now: datetime | None = None) -> Statistics:
        """Statistics of the project with this root, or of all, over the last `days` days up to `now`, or all time."""
        return statistics(self._index.snapshot, root, days, now=now)

    def of_sessions(self, keys: Collection[int]) -> dict[int, SessionUsage]:
        """What some sessions used, with their subagents: tokens by model and time, by key."""
        usage = read_usage(self._index.snapshot, [key for key in keys if key >= 0])
        for key in (key for key in keys if key < 0):
            usage |= read_usage(self._index.snapshot_of(key), [key])
        return usage

    def of_session(self, key: int) -> SessionUsage:
        """What one session used; asked again of the same snapshot, it costs nothing."""
        return self._index.snapshot_of(key).cached(f"usage {key}", lambda: self.of_sessions([key])[key])

    def of_index(self) -> Stats:
        """The size of the index."""
        return read_stats(self._index.snapshot)

    def by_agent(self) -> dict[str, AgentCounts]:
        """What the index has of each agent, by its id."""
        return count_by_agent(self._index.snapshot)

    def sources(self) -> list[SourceRow]:
        """Every source with the state in which it was last read, by path."""
        return list_sources(self._index.snapshot)

    def saved(self, root: str | None = None) -> int:
        """The number of sessions, of a project or of all, of which this index has the only copy."""
        return count_saved(self._index.snapshot, root)

    def sweeps(self, locations: Iterable[Location], now: datetime) -> list[Sweep]:
        """What agents will delete in some locations within three days."""
        return coming_sweeps(self._index.snapshot, locations, now)

    def redactions(self) -> list[RedactedTurn]:
        """The turns in which secrets were replaced, by project and session."""
        return redacted_turns(self._index.snapshot)

    def storage(self) -> Storage:
        """The files of the current snapshot and their sizes."""
        return storage_of(self._index.data, self._index.snapshot.manifest)
