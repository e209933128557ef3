"""The reader of Qwen Code."""

from memtui_core.readers.qwen.reader import Qwen

__all__ = ["Qwen"]
