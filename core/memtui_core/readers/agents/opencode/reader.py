"""The readers of OpenCode and Kilo: their locations and commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.agents.opencode import file_names
from memtui_core.readers.agents.opencode.profile import PROFILE
from memtui_core.readers.base import Cursor, Transcript
from memtui_core.readers.formats.databases import DatabaseReader
from memtui_core.readers.formats.first_entry import head
from memtui_core.system.locations import folder_of
from memtui_core.system.walk import RegularFile

if TYPE_CHECKING:
    import sqlite3

    from memtui_core.readers.agents.opencode.transcript import OpenCodeReading

_EXPORT: Final = re.compile(rb'\s*\{\s*"info"\s*:\s*\{[^{}]*"id"\s*:\s*"ses_')
"""How the output of `opencode export` starts; other agents have an `info`, too."""


class OpenCode(DatabaseReader):
    """The reader of OpenCode 1 and 2: their databases, older trees of JSON files, and exported sessions."""

    agent = "opencode"
    name = "OpenCode"
    short_name = "opencode"
    label = "oc"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.local/share/opencode/",)
    tested_version = "1.18.10"
    folder = "opencode"
    """The name of the agent's folder, of its databases and of its command."""

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The databases, one for each channel, and the trees of JSON files that older versions wrote."""
        folder = (folder_of(environ.get("XDG_DATA_HOME")) or Path.home() / ".local" / "share") / self.folder
        databases = {folder / f"{self.folder}.db", *folder.glob(f"{self.folder}*.db")}
        if chosen := environ.get(f"{self.folder.upper()}_DB"):
            databases |= {path for path in (folder / chosen,) if file_names.is_database(path, self.folder)}
        trees = {folder / "storage" / "session", *folder.glob("project/*/storage/session/info")}
        return [*sorted(databases), *sorted(trees)]

    def accepts(self, path: Path) -> bool:
        """Whether it is a database or a file of a tree, both by name, or an exported session."""
        if file_names.is_database(path, self.folder):
            return True
        return path.suffix in {".json", ".jsonl"} and (file_names.is_in_tree(path) or self._is_export(path))

    def container(self, path: Path) -> Path:
        """The database; the file of the session for one of its messages; or the file itself."""
        if path.suffix in {".json", ".jsonl"}:
            return file_names.session_file(path)
        return super().container(path)

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The sessions of a database, or the session of a file. Raises SourceUnreadable."""
        path = self.container(file.path)
        if path.suffix not in {".json", ".jsonl"}:
            return super().transcripts(file)
        if not file_names.is_in_tree(path):
            return (Transcript(self.agent, path, file.size, file.mtime),)
        if not file_names.is_session(path):
            return ()
        from memtui_core.readers.agents.opencode.tree import transcript_of

        return transcript_of(self.agent, path)

    def sessions(self, connection: sqlite3.Connection, path: Path) -> Iterable[Transcript]:
        """The sessions of a database, of both versions."""
        from memtui_core.readers.agents.opencode.database import sessions_in

        return sessions_in(connection, self.agent, path)

    def read(self, transcript: Transcript, cursor: Cursor) -> OpenCodeReading:
        """Open a transcript at a cursor."""
        from memtui_core.readers.agents.opencode.transcript import OpenCodeReading

        return OpenCodeReading(transcript, cursor)

    def resume_command(self, session_id: str) -> list[str] | None:
        """`opencode --session`."""
        return [self.folder, "--session", session_id]

    def start_command(self, prompt: str) -> list[str] | None:
        """`opencode --prompt`."""
        return [self.folder, "--prompt", prompt]

    def _is_export(self, path: Path) -> bool:
        return _EXPORT.match(head(path)) is not None


class Kilo(OpenCode):
    """The reader of Kilo, whose databases have the tables of OpenCode."""

    agent = "kilo"
    name = "Kilo"
    short_name = "kilo"
    label = "kl"
    own_folders: Sequence[str] = ("/.local/share/kilo/",)
    samples_only = True
    tested_version = ""
    folder = "kilo"

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The databases; Kilo never wrote a tree of JSON files."""
        return [path for path in super().default_locations(environ) if path.suffix == ".db"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a database, by its name."""
        return file_names.is_database(path, self.folder)
