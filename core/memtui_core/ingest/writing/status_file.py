"""What the sessions of the last days used, in a small file, for the status line of an agent.

An agent runs the command of its status line after each answer and waits for it: opening the index would take too long.
It is not a part of publishing: each update takes a sixtieth of a second, which would be two fifths of all that the
indexer needs while a session grows.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

from memtui_core.queries.columns import utc
from memtui_core.queries.statistics.prices import Prices, load_prices
from memtui_core.queries.statistics.usage import SessionUsage, read_usage
from memtui_core.store.snapshot.publisher import Publisher
from memtui_core.store.tables import key_condition
from memtui_core.store.work.database import WorkDatabase
from memtui_core.system import locations
from memtui_core.system.atomic_files import write_atomically

KEPT: Final = timedelta(days=3)
"""How long after its last entry a session is in the file."""
EVERY: Final = 10.0
"""Seconds between two updates of a running indexer."""


class StatusFile:
    """Keeps the file up to date with what was published."""

    def __init__(self, work: WorkDatabase, publisher: Publisher) -> None:
        self._work, self._publisher = work, publisher
        self._batch: int | None = None
        """The batch up to which the file is, after the first update."""
        self._updated_at = -math.inf
        # A time that cannot be right is no worse than none here.
        work.connection.execute("CREATE OR REPLACE TEMP MACRO credible(t) AS t")

    def rows(self, sql: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
        """All rows of a query on the work database."""
        return self._work.connection.execute(sql, list(parameters)).fetchall()

    @property
    def due_at(self) -> float:
        """When the next update is due, in seconds of the monotonic clock; infinite if there is nothing new."""
        return math.inf if self._publisher.batch == self._batch else self._updated_at + EVERY

    def update(self) -> None:
        """Write what the sessions used that changed since the last time; nothing if none has.

        Errors of the file system are ignored: the file is never needed.
        """
        published = self._publisher.batch
        if published is None or published == self._batch:
            return
        self._batch, self._updated_at = published, time.monotonic()
        batch, sessions = self._read()
        oldest = datetime.now(UTC) - KEPT
        kept = {name: one for name, one in sessions.items() if one["at"] >= oldest.timestamp()}
        changed = self._changed(batch, oldest)
        if changed:
            usages, prices = read_usage(self, list(changed)), load_prices(locations.prices_file())
            kept |= {name: _entry(usages[key], prices, at) for key, (name, at) in changed.items()}
        if changed or kept.keys() != sessions.keys():
            with suppress(OSError):
                content = orjson.dumps({"batch": published, "sessions": kept})
                write_atomically(self._work.data.status_line, content)

    def _read(self) -> tuple[int, dict[str, dict[str, Any]]]:
        """The batch up to which the file is, and its sessions by id; nothing if there is none for this index."""
        try:
            content = orjson.loads(self._work.data.status_line.read_bytes())
            batch, sessions = int(content["batch"]), dict(content["sessions"])
            is_valid = all(isinstance(one["at"], float) for one in sessions.values())
        except (OSError, ValueError, KeyError, TypeError):
            return 0, {}
        return (batch, sessions) if is_valid and batch <= self._work.batch else (0, {})

    def _changed(self, batch: int, oldest: datetime) -> dict[int, tuple[str, datetime]]:
        """The ids and last times of the sessions that changed after a batch, or below which one did, by key."""
        names: dict[int, str] = {}
        changed = [key for (key,) in self.rows("SELECT DISTINCT session FROM turns WHERE batch > ?", [batch])]
        while changed:
            rows = self.rows(
                f"SELECT key, session_id, parent FROM sessions WHERE {key_condition('key', changed)} AND NOT hidden"
            )
            names |= {key: name for key, name, parent in rows if parent is None}
            changed = [parent for *_, parent in rows if parent is not None]
        times = self.rows(
            f"SELECT session, max(ended_at) FROM turns WHERE {key_condition('session', names)}"
            " GROUP BY session HAVING max(ended_at) >= ?",
            [oldest.replace(tzinfo=None)],
        )
        return {key: (names[key], at) for key, ended in times if (at := utc(ended)) is not None}


def _entry(usage: SessionUsage, prices: Prices, at: datetime) -> dict[str, Any]:
    cost = usage.cost(prices)
    return {
        "dollars": cost.dollars,
        "is_whole": cost.is_whole,
        "in": usage.new_tokens,
        "out": usage.output_tokens,
        "active": None if usage.active is None else usage.active.total_seconds(),
        "at": at.timestamp(),
    }
