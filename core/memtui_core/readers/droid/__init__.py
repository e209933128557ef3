"""The reader of Droid, the agent of Factory."""

from memtui_core.readers.droid.reader import Droid

__all__ = ["Droid"]
