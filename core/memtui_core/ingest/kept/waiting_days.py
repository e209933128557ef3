"""How long what was forgotten has waited to be purged.

The clock may be wrong, so what counts is time that the indexer has seen pass: the steps from one look to the next. A
step counts for a week at most, and one back in time for nothing. So a clock that jumps ahead by years takes a week off
at most, one that is set back takes nothing off, and an index that is used less often than once a week waits longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, Final

import orjson

from memtui_core.store.data_folder import DataDir
from memtui_core.system.atomic_files import write_atomically

DAY: Final = 86_400.0
"""Seconds."""
KEPT_FOR: Final = 30 * DAY
"""Seconds for which what was forgotten can be brought back."""
LONGEST_STEP: Final = 7 * DAY
"""The most seconds that count between two looks."""
LOOK_EVERY: Final = 3_600.0
"""Seconds between two looks."""
_FILE: Final = "waited.json"


class WaitingDays:
    """How long each forget has waited, in a file of its folder. One that is missing or broken begins again with 0.

    `clock` returns seconds since 1970.
    """

    def __init__(self, data: DataDir, clock: Callable[[], float] = time.time) -> None:
        self._path = data.forgotten / _FILE
        self._clock = clock

    def left(self, name: str) -> float:
        """Seconds until a forget is purged, by the last look; 0 or less if it is due."""
        return KEPT_FOR - self._read()[1].get(name, 0.0)

    @property
    def is_look_due(self) -> bool:
        """Whether a look would count some time."""
        looked_at, _ = self._read()
        return looked_at is None or not 0 <= self._clock() - looked_at < LOOK_EVERY

    def look(self, waiting: Collection[str]) -> list[str]:
        """Count the time since the last look, and return the ids of what is due. Raises OSError."""
        looked_at, waited = self._read()
        now = self._clock()
        step = 0.0 if looked_at is None else min(max(0.0, now - looked_at), LONGEST_STEP)
        counted = {name: waited[name] + step if name in waited else 0.0 for name in waiting}
        if counted.keys() != waited.keys() or self.is_look_due:
            self._write(now, counted)
        return [name for name, seconds in counted.items() if seconds >= KEPT_FOR]

    def end(self, name: str) -> None:
        """Drop a forget that waits no longer. Raises OSError."""
        looked_at, waited = self._read()
        if looked_at is not None and waited.pop(name, None) is not None:
            self._write(looked_at, waited)

    def _write(self, looked_at: float, waited: dict[str, float]) -> None:
        if waited:
            write_atomically(self._path, orjson.dumps({"looked_at": looked_at, "waited": waited}), durable=True)
        else:
            self._path.unlink(missing_ok=True)

    def _read(self) -> tuple[float | None, dict[str, float]]:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            content: Any = orjson.loads(self._path.read_bytes())
            waited = {str(name): float(seconds) for name, seconds in content["waited"].items()}
            return float(content["looked_at"]), waited
        return None, {}


def has_forget_work(data: DataDir) -> bool:
    """Whether an indexer has to finish a forget, or to look whether one is to be purged. Raises MemtuiError."""
    # Most users never forget anything, and a run with nothing new loads no more than it needs.
    if not data.forget_log.exists():
        return False
    from memtui_core.store.marks.tombstones import ForgetLog

    forgets = ForgetLog(data).forgets().values()
    if any(not one.is_removed or one.is_restoring or one.is_purging > one.is_purged for one in forgets):
        return True
    return any(one.waiting for one in forgets) and WaitingDays(data).is_look_due
