"""The reader of Codex: everything that memtui knows about its files and commands."""

from memtui_core.readers.codex.reader import Codex

__all__ = ["Codex"]
