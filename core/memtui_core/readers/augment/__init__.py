"""The reader of Auggie, Augment's program for the terminal."""

from memtui_core.readers.augment.reader import Augment

__all__ = ["Augment"]
