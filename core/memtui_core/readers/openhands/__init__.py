"""The reader of OpenHands: its program for the terminal, its agent server, and the servers of versions 0 and 1."""

from memtui_core.readers.openhands.reader import OpenHands

__all__ = ["OpenHands"]
