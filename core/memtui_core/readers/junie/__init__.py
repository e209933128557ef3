"""Junie, the agent of JetBrains: a folder with the events of each session."""

from memtui_core.readers.junie.reader import Junie

__all__ = ["Junie"]
