"""Factory Droid: a JSON lines file for each session, in one folder for each working directory."""

from memtui_core.readers.droid.reader import Droid

__all__ = ["Droid"]
