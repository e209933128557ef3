"""Kimi Code: a folder for each session, with a file of records for each agent and one about the session."""

from memtui_core.readers.kimi.reader import Kimi

__all__ = ["Kimi"]
