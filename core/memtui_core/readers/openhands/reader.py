"""The reader of OpenHands: its locations and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui_core.readers.agent import FileReader
from memtui_core.readers.base import Cursor, Transcript
from memtui_core.readers.openhands.folders import SUBAGENTS, conversation_of, state_of
from memtui_core.system.locations import folder_of
from memtui_core.system.walk import RegularFile

if TYPE_CHECKING:
    from memtui_core.readers.openhands.transcript import OpenHandsReading


class OpenHands(FileReader):
    """The reader of conversations: each is a folder with a file for every event."""

    agent = "openhands"
    name = "OpenHands"
    short_name = "openhands"
    label = "oh"
    own_folders: Sequence[str] = ("/.openhands/conversations/", "/.openhands/sessions/")
    samples_only = True

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folders of the terminal program, and those of the server of version 0, which can be by user."""
        root = folder_of(environ.get("OPENHANDS_PERSISTENCE_DIR")) or Path.home() / ".openhands"
        conversations = folder_of(environ.get("OPENHANDS_CONVERSATIONS_DIR")) or root / "conversations"
        return [conversations, root / "sessions", root / "users"]

    def accepts(self, path: Path) -> bool:
        """Whether it is an event of a conversation, or a file about one that has events."""
        return conversation_of(path) is not None

    def container(self, path: Path) -> Path:
        """The folder of the conversation."""
        return conversation_of(path) or path

    def transcripts(self, file: RegularFile) -> list[Transcript]:
        """The conversation."""
        folder = self.container(file.path)
        return [Transcript(self.agent, folder, *state_of(folder))]

    def subagent_locations(self, path: Path) -> Sequence[Path]:
        """The folder with the conversations of subagents."""
        return [(conversation_of(path) or path) / SUBAGENTS]

    def read(self, transcript: Transcript, cursor: Cursor) -> OpenHandsReading:
        """Open a conversation at a cursor."""
        from memtui_core.readers.openhands.transcript import OpenHandsReading

        return OpenHandsReading(transcript, cursor)

    def resume_command(self, session_id: str) -> list[str] | None:
        """`openhands --resume`; None for a session of version 0, which later ones cannot continue."""
        is_old = (Path.home() / ".openhands" / "sessions" / session_id).is_dir()
        return None if is_old else ["openhands", "--resume", session_id]

    def start_command(self, prompt: str) -> list[str] | None:
        """`openhands --task`."""
        return ["openhands", "--task", prompt]
