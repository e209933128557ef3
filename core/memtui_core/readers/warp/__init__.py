"""Warp: the conversations with its agent, in the database of the terminal."""

from memtui_core.readers.warp.reader import Warp

__all__ = ["Warp"]
