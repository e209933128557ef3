"""What processes of their own do with a log of observations; a module that is quick to load."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.context import SpawnProcess
from pathlib import Path
from threading import Barrier

from memtui_core.memory.observations.store import Observations

SPAWN = multiprocessing.get_context("spawn")


def started(
    write: Callable[[Path, str, Barrier], None], folder: Path, begin: Barrier, *names: str
) -> list[SpawnProcess]:
    """Processes that write, a name each, and begin when all are at the barrier, which the caller has to keep."""
    writers = [SPAWN.Process(target=write, args=(folder, name, begin)) for name in names]
    for writer in writers:
        writer.start()
    return writers


def write_many(folder: Path, name: str, begin: Barrier) -> None:
    """Save 200 observations."""
    observations = Observations(folder)
    begin.wait()
    for number in range(200):
        observations.save(name, type="change", title=f"{name} {number}", narrative="n" * 500)


def save_and_find(folder: Path, name: str, begin: Barrier) -> None:
    """Save observations, and find each at once."""
    from memtui_core.memory.observations.search import ObservationSearch

    finder = ObservationSearch(Observations(folder))
    begin.wait()
    for number in range(15):
        saved = finder.observations.save("s1", type="change", title=f"{name}x{number}", narrative="n")
        answer = finder.search(f"{name}x{number}")
        assert (answer.hits[0].observation, answer.note) == (saved, "")
