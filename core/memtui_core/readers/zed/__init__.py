"""The reader of Zed."""

from memtui_core.readers.zed.reader import Zed

__all__ = ["Zed"]
