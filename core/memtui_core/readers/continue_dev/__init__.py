"""The reader of Continue: its extensions of editors, and its program for the terminal."""

from memtui_core.readers.continue_dev.reader import Continue

__all__ = ["Continue"]
