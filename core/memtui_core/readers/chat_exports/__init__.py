"""The readers of the archives in which chat services export a person's conversations."""

from memtui_core.readers.chat_exports.reader import ChatGpt, ClaudeAi

__all__ = ["ChatGpt", "ClaudeAi"]
