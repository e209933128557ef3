"""The reader of Aider."""

from memtui_core.readers.aider.reader import Aider

__all__ = ["Aider"]
