"""The reader of OpenHands: its program for the terminal, its agent server, and the server of version 0."""

from memtui_core.readers.openhands.reader import OpenHands

__all__ = ["OpenHands"]
