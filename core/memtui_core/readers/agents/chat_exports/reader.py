"""The readers of ChatGPT and Claude.ai: their exports are read where the user has put them."""

from __future__ import annotations

from pathlib import Path

from memtui_core.readers.agents.chat_exports.profile import PROFILE
from memtui_core.readers.formats.conversations import ConversationsReader


class _Export(ConversationsReader):
    """The reader of an export: a zip archive, or a `conversations.json` of one."""

    profile = PROFILE
    samples_only = True
    key: str
    """What the first conversation has."""

    def accepts(self, path: Path) -> bool:
        """Whether it is an export whose first conversation has the key."""
        from memtui_core.readers.agents.chat_exports.archive import begins_with, may_be_export

        return may_be_export(path) and begins_with(path, self.key)


class ChatGpt(_Export):
    """The reader of the export of ChatGPT."""

    agent = "chatgpt"
    name = "ChatGPT"
    short_name = "chatgpt"
    label = "gp"
    key = "mapping"
    conversations = "memtui_core.readers.agents.chat_exports.chatgpt:conversations"
    records = "memtui_core.readers.agents.chat_exports.chatgpt:records"


class ClaudeAi(_Export):
    """The reader of the export of Claude.ai."""

    agent = "claude-ai"
    name = "Claude.ai"
    short_name = "claude.ai"
    label = "ca"
    key = "chat_messages"
    conversations = "memtui_core.readers.agents.chat_exports.claude_ai:conversations"
    records = "memtui_core.readers.agents.chat_exports.claude_ai:records"
