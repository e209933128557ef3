"""The state of the observation log for `memtui doctor`."""

from __future__ import annotations

from pathlib import Path

from memtui_core.errors import MemtuiError
from memtui_core.memory.observations.store import Observations
from memtui_core.queries.sources import SourceRow


def log_health(data_dir: Path) -> list[SourceRow]:
    """The log as a row of the list of sources; empty if nothing was ever saved."""
    observations = Observations(data_dir)
    if not observations.path.exists():
        return []
    path, agent = str(observations.path), "memtui"
    try:
        observations.refresh()
    except MemtuiError as error:
        return [SourceRow(path, agent, (), "error", 0, (), str(error))]
    skipped = [(number - 1, reason) for number, reason in observations.skipped]
    if observations.incomplete_bytes:
        skipped.append((observations.lines, f"incomplete, {observations.incomplete_bytes} bytes"))
    state = "partial" if skipped else "ok"
    return [SourceRow(path, agent, (), state, observations.lines, tuple(skipped), None)]
