"""The reader of Amp."""

from memtui_core.readers.amp.reader import Amp

__all__ = ["Amp"]
