"""The reader of Crush."""

from memtui_core.readers.crush.reader import Crush

__all__ = ["Crush"]
