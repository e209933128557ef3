"""The reader of Antigravity."""

from memtui_core.readers.antigravity.reader import Antigravity

__all__ = ["Antigravity"]
