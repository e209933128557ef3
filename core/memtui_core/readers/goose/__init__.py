"""The reader of Goose."""

from memtui_core.readers.goose.reader import Goose

__all__ = ["Goose"]
