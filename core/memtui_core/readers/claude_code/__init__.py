"""Claude Code: everything that memtui knows of its files, its settings and its commands."""

from memtui_core.readers.claude_code.reader import ClaudeCode

__all__ = ["ClaudeCode"]
