"""The reader of Cline: its program for the terminal, and its extension of editors."""

from memtui_core.readers.cline.reader import Cline

__all__ = ["Cline"]
