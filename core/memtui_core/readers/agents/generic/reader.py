"""The reader of plain messages; it reads only files that the user names to be such."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui_core.readers.agents.generic.profile import PROFILE
from memtui_core.readers.base import Cursor
from memtui_core.readers.formats.conversations import ConversationFiles, ConversationsReader

if TYPE_CHECKING:
    from memtui_core.readers.base import Transcript
    from memtui_core.readers.formats.conversation_reading import ConversationReading
    from memtui_core.readers.formats.conversations import Conversation


class Generic(ConversationsReader):
    """The reader of JSON and JSON lines files with `role` and `content`, as the APIs of language models take them."""

    agent = "generic"
    name = "Messages in JSON"
    short_name = "assistant"
    label = "ms"
    profile = PROFILE

    def __init__(self) -> None:
        self._files = ConversationFiles(_load)

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """None: a file is read when it is named."""
        return ()

    def accepts(self, path: Path) -> bool:
        """Whether it is a JSON or a JSON lines file."""
        return path.suffix in {".json", ".jsonl"}

    def read(self, transcript: Transcript, cursor: Cursor) -> ConversationReading:
        """Open a conversation."""
        from memtui_core.readers.agents.generic.messages import records
        from memtui_core.readers.formats.conversation_reading import ConversationReading

        return ConversationReading(self._files, transcript, cursor, records)


def _load(path: Path) -> list[Conversation]:
    from memtui_core.readers.agents.generic.messages import conversations

    return conversations(path)
