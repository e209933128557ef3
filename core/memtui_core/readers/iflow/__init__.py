"""iFlow CLI: a JSON lines file for each session, in one folder for each working directory."""

from memtui_core.readers.iflow.reader import IFlow

__all__ = ["IFlow"]
