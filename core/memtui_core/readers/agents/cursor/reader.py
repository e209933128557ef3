"""The reader of Cursor: its locations and commands."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from memtui_core.readers.agents.cursor.file_names import (
    DATABASE,
    EDITOR_PATHS,
    USER_FOLDERS,
    has_chat,
    is_database_file,
    is_transcript_file,
    may_be_database,
    parent_of,
)
from memtui_core.readers.agents.cursor.profile import PROFILE
from memtui_core.readers.base import Transcript
from memtui_core.readers.conversion.json_values import mapping
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.databases import DatabaseReader
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import folder_of, home_in


class CursorAgent(DatabaseReader):
    """The reader of Cursor: a transcript of lines or text for each chat, and the database of the editor."""

    agent = "cursor"
    name = "Cursor"
    short_name = "cursor"
    label = "cu"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.cursor/projects/", "/.cursor/chats/", "/.cursor/plans/")
    samples_only = True
    sessions = "memtui_core.readers.agents.cursor.editor:list_chats"
    copying = Copying(
        locations=tuple(f"{folder}/{DATABASE}" for folder in EDITOR_PATHS),
        beside=(
            ".cursor/chats/*/*/meta.json",
            *(f"{folder}/workspaceStorage/*/workspace.json" for folder in USER_FOLDERS),
            *(f"{folder}/workspaceStorage/*/{DATABASE}" for folder in USER_FOLDERS),
        ),
        tables={
            "cursorDiskKV": "key >= 'composerData:' AND key < 'composerData;'"
            " OR key >= 'bubbleId:' AND key < 'bubbleId;'"
            " OR key >= 'composer.content.' AND key < 'composer.content/'",
            "ItemTable": "key IN ('composer.composerData', 'composer.composerHeaders')",
        },
        has_secrets=True,
    )
    """Other rows of its databases contain the tokens of the user's account."""
    start: Sequence[str] = ("cursor-agent",)
    connection = "memtui_core.readers.agents.cursor.connection:CONNECTION"

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folder `projects` in `CURSOR_CONFIG_DIR` or in `~/.cursor`, and the database of the editor."""
        home = home_in(environ)
        editors = [home / folder / DATABASE for folder in EDITOR_PATHS]
        existing = [path for path in editors if path.exists()]
        return [_settings_folder(environ) / "projects", *(existing or editors[:1])]

    def is_database(self, path: Path) -> bool:
        """Whether a file may be the database of the editor, a copy of it, or the log of one."""
        return may_be_database(path)

    def accepts(self, path: Path) -> bool:
        """Whether it is a transcript or the database by its path, or one of them by its content."""
        if is_transcript_file(path) or is_database_file(path):
            return True
        if self.is_database(path):
            from memtui_core.readers.agents.cursor.editor import has_chats

            return has_chats(self.container(path))
        if path.suffix != ".jsonl":
            return False
        entry = first_entry(path)
        has_parts = isinstance(mapping(entry.get("message")).get("content"), list)
        return has_parts and entry.get("role") in ("user", "assistant") and not {"type", "uuid"} & entry.keys()

    def subagent_locations(self, path: Path) -> Sequence[Path]:
        """The folder with the subagents of a chat."""
        return [path.parent / "subagents"] if is_transcript_file(path) and parent_of(path) is None else []

    def reading_of(self, transcript: Transcript) -> str:
        """The class for a chat of the editor, for a text, or for lines."""
        name = "transcript:TranscriptReading"
        if transcript.part:
            name = "editor:EditorReading"
        elif transcript.path.suffix == ".txt":
            name = "text_transcript:TextReading"
        return f"memtui_core.readers.agents.cursor.{name}"

    def resume_command(self, session_id: str) -> list[str] | None:
        """`cursor-agent --resume`; None for a chat of the editor, which that program does not have."""
        return ["cursor-agent", "--resume", session_id] if has_chat(_settings_folder(os.environ), session_id) else None


def _settings_folder(environ: Mapping[str, str]) -> Path:
    return folder_of(environ.get("CURSOR_CONFIG_DIR")) or home_in(environ) / ".cursor"
