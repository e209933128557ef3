"""The reader of Claude Code: everything that memtui knows about its files, settings and commands."""

from memtui_core.readers.claude_code.reader import ClaudeCode

__all__ = ["ClaudeCode"]
