"""Copilot CLI: a file of events for each session, and a small file about its folder and title."""

from memtui_core.readers.copilot.reader import Copilot

__all__ = ["Copilot"]
