"""The reader of Cursor: its locations and commands."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.cursor.file_names import (
    DATABASE,
    EDITOR_PATHS,
    has_chat,
    is_database_file,
    is_transcript_file,
    may_be_database,
    parent_of,
)
from memtui_core.readers.agents.cursor.profile import PROFILE
from memtui_core.readers.base import Cursor, Reading, Transcript
from memtui_core.readers.conversion.json_values import mapping
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import folder_of
from memtui_core.system.walk import RegularFile

if TYPE_CHECKING:
    from memtui_core.readers.formats.sqlite import DatabaseListing


class CursorAgent(FileReader):
    """The reader of Cursor: a transcript of lines or text for each chat, and the database of the editor."""

    agent = "cursor"
    name = "Cursor"
    short_name = "cursor"
    label = "cu"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.cursor/projects/", "/.cursor/chats/", "/.cursor/plans/")
    samples_only = True

    def __init__(self) -> None:
        self._listing: DatabaseListing | None = None

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folder `projects` in `CURSOR_CONFIG_DIR` or in `~/.cursor`, and the database of the editor."""
        home = Path.home()
        editors = [home / folder / DATABASE for folder in EDITOR_PATHS]
        existing = [path for path in editors if path.exists()]
        return [_settings_folder(environ) / "projects", *(existing or editors[:1])]

    def accepts(self, path: Path) -> bool:
        """Whether it is a transcript or the database by its path, or one of them by its content."""
        if is_transcript_file(path) or is_database_file(path):
            return True
        if may_be_database(path):
            from memtui_core.readers.agents.cursor.editor import has_chats

            return has_chats(self.container(path))
        if path.suffix != ".jsonl":
            return False
        entry = first_entry(path)
        has_parts = isinstance(mapping(entry.get("message")).get("content"), list)
        return has_parts and entry.get("role") in ("user", "assistant") and not {"type", "uuid"} & entry.keys()

    def container(self, path: Path) -> Path:
        """The file itself; for the log of the database, the database."""
        if not may_be_database(path):
            return path
        # Hooks load every reader, and do not need SQLite.
        from memtui_core.readers.formats.sqlite import database_of

        return database_of(path)

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The file as one transcript, or the chats in the database."""
        if not may_be_database(file.path):
            return super().transcripts(file)
        if self._listing is None:
            from memtui_core.readers.agents.cursor.editor import list_chats
            from memtui_core.readers.formats.sqlite import DatabaseListing

            self._listing = DatabaseListing(list_chats)
        return self._listing.transcripts(self.container(file.path))

    def subagent_locations(self, path: Path) -> Sequence[Path]:
        """The folder with the subagents of a chat."""
        return [path.parent / "subagents"] if is_transcript_file(path) and parent_of(path) is None else []

    def read(self, transcript: Transcript, cursor: Cursor) -> Reading:
        """Open a transcript at a cursor."""
        if transcript.part:
            from memtui_core.readers.agents.cursor.editor import EditorReading

            return EditorReading(transcript, cursor)
        if transcript.path.suffix == ".txt":
            from memtui_core.readers.agents.cursor.text_transcript import TextReading

            return TextReading(transcript, cursor)
        from memtui_core.readers.agents.cursor.transcript import TranscriptReading

        return TranscriptReading(transcript, cursor)

    def resume_command(self, session_id: str) -> list[str] | None:
        """`cursor-agent --resume`; None for a chat of the editor, which that program does not have."""
        return ["cursor-agent", "--resume", session_id] if has_chat(_settings_folder(os.environ), session_id) else None

    def start_command(self, prompt: str) -> list[str] | None:
        """`cursor-agent` with the prompt as its argument."""
        return ["cursor-agent", prompt]


def _settings_folder(environ: Mapping[str, str]) -> Path:
    return folder_of(environ.get("CURSOR_CONFIG_DIR")) or Path.home() / ".cursor"
