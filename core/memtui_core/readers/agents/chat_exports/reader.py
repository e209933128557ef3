"""The readers of ChatGPT and Claude.ai: their exports are read where the user has put them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui_core.readers.agents.chat_exports.profile import PROFILE
from memtui_core.readers.base import Cursor
from memtui_core.readers.conversion.json_values import mapping
from memtui_core.readers.formats.conversations import ConversationFiles, ConversationsReader, id_in_file

if TYPE_CHECKING:
    from memtui_core.readers.base import Transcript
    from memtui_core.readers.formats.conversation_reading import ConversationReading
    from memtui_core.readers.formats.conversations import Conversation


class ChatGpt(ConversationsReader):
    """The reader of the export of ChatGPT: a zip archive, or a `conversations.json` of one."""

    agent = "chatgpt"
    name = "ChatGPT"
    short_name = "chatgpt"
    label = "gp"
    profile = PROFILE
    samples_only = True

    def __init__(self) -> None:
        self._files = ConversationFiles(_load_chatgpt)

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """None: an export is read when it is named."""
        return ()

    def accepts(self, path: Path) -> bool:
        """Whether it is an export whose first conversation has a `mapping`."""
        return _begins_with(path, "mapping")

    def read(self, transcript: Transcript, cursor: Cursor) -> ConversationReading:
        """Open a conversation."""
        from memtui_core.readers.agents.chat_exports.chatgpt import records
        from memtui_core.readers.formats.conversation_reading import ConversationReading

        return ConversationReading(self._files, transcript, cursor, records)


class ClaudeAi(ConversationsReader):
    """The reader of the export of Claude.ai: a zip archive, or the `conversations.json` of one."""

    agent = "claude-ai"
    name = "Claude.ai"
    short_name = "claude.ai"
    label = "ca"
    profile = PROFILE
    samples_only = True

    def __init__(self) -> None:
        self._files = ConversationFiles(_load_claude_ai)

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """None: an export is read when it is named."""
        return ()

    def accepts(self, path: Path) -> bool:
        """Whether it is an export whose first conversation has `chat_messages`."""
        return _begins_with(path, "chat_messages")

    def read(self, transcript: Transcript, cursor: Cursor) -> ConversationReading:
        """Open a conversation."""
        from memtui_core.readers.agents.chat_exports.claude_ai import records
        from memtui_core.readers.formats.conversation_reading import ConversationReading

        return ConversationReading(self._files, transcript, cursor, records)


def _begins_with(path: Path, key: str) -> bool:
    from memtui_core.readers.agents.chat_exports.archive import begins_with, may_be_export

    return may_be_export(path) and begins_with(path, key)


def _load_chatgpt(path: Path) -> list[Conversation]:
    from memtui_core.readers.agents.chat_exports.archive import conversations
    from memtui_core.readers.agents.chat_exports.chatgpt import conversation

    return _converted(path, conversations(path), conversation)


def _load_claude_ai(path: Path) -> list[Conversation]:
    from memtui_core.readers.agents.chat_exports.archive import conversations
    from memtui_core.readers.agents.chat_exports.claude_ai import conversation

    return _converted(path, conversations(path), conversation)


def _converted(
    path: Path, values: list[Any], convert: Callable[[dict[str, Any], str], Conversation]
) -> list[Conversation]:
    """The conversations; one without an id gets that of its place in the file."""
    found = []
    for place, value in enumerate(values, 1):
        spare_id = id_in_file(path, f"{path.stem}-{place}")
        conversation = convert(mapping(value), spare_id)
        if conversation.entries or conversation.id != spare_id:
            found.append(conversation)
    return found
