"""The reader of Roo Code, which comes from Cline."""

from memtui_core.readers.roo.reader import Roo

__all__ = ["Roo"]
