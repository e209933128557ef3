"""Mistral Vibe: a folder with messages and metadata for each session."""

from memtui_core.readers.vibe.reader import Vibe

__all__ = ["Vibe"]
