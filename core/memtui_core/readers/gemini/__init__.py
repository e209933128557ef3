"""The reader of Gemini CLI."""

from memtui_core.readers.gemini.reader import Gemini

__all__ = ["Gemini"]
