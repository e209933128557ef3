"""The reader of Cursor: its program for the terminal, and its editor."""

from memtui_core.readers.cursor.reader import CursorAgent

__all__ = ["CursorAgent"]
