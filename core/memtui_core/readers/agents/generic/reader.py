"""The reader of plain messages; it reads only files that the user names to be such."""

from __future__ import annotations

from pathlib import Path

from memtui_core.readers.agents.generic.profile import PROFILE
from memtui_core.readers.formats.conversations import ConversationsReader


class Generic(ConversationsReader):
    """The reader of JSON and JSON lines files with `role` and `content`, as the APIs of language models take them."""

    agent = "generic"
    name = "Messages in JSON"
    short_name = "assistant"
    label = "ms"
    profile = PROFILE
    conversations = "memtui_core.readers.agents.generic.messages:conversations"
    records = "memtui_core.readers.agents.generic.messages:records"

    def accepts(self, path: Path) -> bool:
        """Whether it is a JSON or a JSON lines file."""
        return path.suffix in {".json", ".jsonl"}
