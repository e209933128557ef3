"""The data folder of an index: its files, and what the processes that share it tell each other."""

from __future__ import annotations

from memtui_core.store.data_folder import DataDir
from memtui_core.store.processes import Presence, Typing, percent_done, publication_state, read_progress
from memtui_core.store.snapshot.manifest import Manifest, read_manifest

__all__ = [
    "DataDir",
    "Manifest",
    "Presence",
    "Typing",
    "percent_done",
    "publication_state",
    "read_manifest",
    "read_progress",
]
