"""The data folder of an index: its files, and what the processes that share it tell each other."""

from __future__ import annotations

from pathlib import Path

from memtui_core.store.data_folder import DataDir
from memtui_core.store.processes import Presence, Typing, percent_done, publication_state, read_progress
from memtui_core.store.requests import FORGET, UNDO, Requests
from memtui_core.store.snapshot.manifest import Manifest, read_manifest

__all__ = [
    "FORGET",
    "UNDO",
    "DataDir",
    "Manifest",
    "Presence",
    "Requests",
    "Typing",
    "indexer_hangs",
    "percent_done",
    "publication_state",
    "read_manifest",
    "read_progress",
]


def indexer_hangs(data_dir: Path, pid: int) -> bool:
    """Whether a process that indexes into a data folder hangs; takes a second if that is likely."""
    # Whoever only reads never asks.
    from memtui_core.store.work.lock import hangs

    return hangs(DataDir(data_dir), pid)
