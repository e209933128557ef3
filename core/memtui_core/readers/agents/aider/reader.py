"""The reader of Aider: the names of its files, and the sessions in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.agents.aider.profile import PROFILE
from memtui_core.readers.base import Cursor, Transcript
from memtui_core.readers.formats.conversations import ConversationsReader
from memtui_core.system.locations import folder_of
from memtui_core.system.walk import RegularFile

if TYPE_CHECKING:
    from memtui_core.readers.agents.aider.transcript import AiderReading

_HISTORY: Final = "aider.chat.history.md"
"""The end of the name, which begins with a dot unless somebody copied the file."""


class Aider(ConversationsReader):
    """The reader of the chat histories of Aider, each in the folder of its project, with many sessions in one file."""

    agent = "aider"
    name = "Aider"
    short_name = "aider"
    label = "ai"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.aider.",)
    samples_only = True
    conversations = "memtui_core.readers.agents.aider.sessions:sessions_in"

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The file that the user has chosen for all projects; otherwise none, because the files lie in the projects."""
        chosen = folder_of(environ.get("AIDER_CHAT_HISTORY_FILE"))
        return [chosen] if chosen is not None and chosen.is_absolute() else []

    def accepts(self, path: Path) -> bool:
        """Whether it is a chat history, by its name."""
        return path.name.endswith(_HISTORY)

    def transcripts(self, file: RegularFile) -> list[Transcript]:
        """The sessions of the file; one in which nothing was said is empty. Raises SourceUnreadable."""
        from memtui_core.readers.agents.aider.sessions import state_of

        sessions = self._files.of(file.path)
        return [Transcript(self.agent, file.path, *state_of(one), one.id) for one in sessions.values()]

    def read(self, transcript: Transcript, cursor: Cursor) -> AiderReading:
        """Open a session at a cursor."""
        from memtui_core.readers.agents.aider.transcript import AiderReading

        return AiderReading(self._files, transcript, cursor)
