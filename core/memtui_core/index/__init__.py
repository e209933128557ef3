"""The index as every process except the indexer uses it: what the app, the commands and a library see of it."""

from memtui_core.index.index import Index
from memtui_core.store.snapshot.reader import Snapshot

__all__ = ["Index", "Snapshot"]
