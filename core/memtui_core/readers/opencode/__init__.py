"""The readers of OpenCode, and of Kilo, which is made from it."""

from memtui_core.readers.opencode.reader import Kilo, OpenCode

__all__ = ["Kilo", "OpenCode"]
