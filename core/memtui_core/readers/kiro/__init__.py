"""The reader of the Kiro command line."""

from memtui_core.readers.kiro.reader import Kiro

__all__ = ["Kiro"]
