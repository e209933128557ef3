"""The reader of OpenHands: its locations and commands."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.openhands.folders import (
    OLD_META,
    SERVER_META,
    STATE,
    SUBAGENTS,
    conversation_of,
    state_of,
)
from memtui_core.readers.agents.openhands.profile import PROFILE
from memtui_core.readers.base import Transcript
from memtui_core.readers.copying import Copying
from memtui_core.system.locations import folder_of, home_in
from memtui_core.system.walk import RegularFile

_SERVERS: Final = ("sessions", "users", "v1_conversations", "v1/events")


class OpenHands(FileReader):
    """The reader of conversations: each is a folder with a file for every event."""

    agent = "openhands"
    name = "OpenHands"
    short_name = "openhands"
    label = "oh"
    profile = PROFILE
    own_folders: Sequence[str] = (
        *("/.openhands/conversations/", "/.openhands/sessions/", "/.openhands/users/"),
        *("/.openhands/v1_conversations/", "/.openhands/v1/"),
    )
    samples_only = True
    reading = "memtui_core.readers.agents.openhands.transcript:OpenHandsReading"
    start: Sequence[str] = ("openhands", "--task")
    copying = Copying(
        beside=tuple(
            f".openhands/{folder}/{name}"
            for folder in ("conversations/*", "conversations/*/subagents/*", "sessions/*", "users/*/conversations/*")
            for name in (STATE, SERVER_META, OLD_META)
        )
    )

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folders of the terminal program, and those of the servers of version 0, which can be by user, and 1."""
        root = folder_of(environ.get("OPENHANDS_PERSISTENCE_DIR")) or home_in(environ) / ".openhands"
        conversations = folder_of(environ.get("OPENHANDS_CONVERSATIONS_DIR")) or root / "conversations"
        return [conversations, *(root / name for name in _SERVERS)]

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

    def resume_command(self, session_id: str) -> list[str] | None:
        """`openhands --resume`; None for a conversation of a server, which the terminal program does not have."""
        root = Path.home() / ".openhands"
        return (
            None
            if any(os.path.isdir(root / name / session_id) for name in _SERVERS)  # noqa: PTH112 (an id may be too long)
            else ["openhands", "--resume", session_id]
        )
