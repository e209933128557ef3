"""The readers of OpenCode and Kilo: their locations and commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from memtui_core.readers.agents.opencode import file_names
from memtui_core.readers.agents.opencode.profile import PROFILE
from memtui_core.readers.base import Transcript
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.databases import DatabaseReader
from memtui_core.readers.formats.first_entry import head
from memtui_core.system.locations import folder_of, home_in
from memtui_core.system.walk import RegularFile

_EXPORT: Final = re.compile(rb'\s*\{\s*"info"\s*:\s*\{[^{}]*"id"\s*:\s*"ses_')
"""How the output of `opencode export` starts; other agents have an `info`, too."""

_TABLES: Final = dict.fromkeys(("session", "session_v2", "message", "session_message", "part"), "")
"""The tables of databases with sessions."""


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
    sessions = "memtui_core.readers.agents.opencode.database:sessions_in"
    reading = "memtui_core.readers.agents.opencode.transcript:OpenCodeReading"
    copying = Copying(
        locations=(
            f".local/share/{folder}/{folder}*.db",
            f".local/share/{folder}/storage/message",
            f".local/share/{folder}/storage/part",
            f".local/share/{folder}/project/*/storage/session",
        ),
        tables=_TABLES,
        has_secrets=True,
    )
    resume: Sequence[str] = (folder, "--session")
    start: Sequence[str] = (folder, "--prompt")
    connection = "memtui_core.readers.agents.opencode.connection:OPENCODE"

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The databases, one for each channel, and the trees of JSON files that older versions wrote."""
        folder = (folder_of(environ.get("XDG_DATA_HOME")) or home_in(environ) / ".local" / "share") / self.folder
        databases = {folder / f"{self.folder}.db", *folder.glob(f"{self.folder}*.db")}
        if chosen := environ.get(f"{self.folder.upper()}_DB"):
            databases |= {path for path in (folder / chosen,) if self.is_database(path)}
        trees = {folder / "storage" / "session", *folder.glob("project/*/storage/session/info")}
        return [*sorted(databases), *sorted(trees)]

    def is_database(self, path: Path) -> bool:
        """Whether a file has the name of a database of any channel, or of a file beside one."""
        return file_names.is_database(path, self.folder)

    def accepts(self, path: Path) -> bool:
        """Whether it is a database or a file of a tree, both by name, or an exported session."""
        if self.is_database(path):
            return True
        return path.suffix in {".json", ".jsonl"} and (file_names.is_in_tree(path) or self._is_export(path))

    def container(self, path: Path) -> Path:
        """The database; the file of the session for one of its messages; or the file itself."""
        return super().container(path) if self.is_database(path) else file_names.session_file(path)

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The sessions of a database, or the session of a file. Raises SourceUnreadable."""
        path = self.container(file.path)
        if self.is_database(path) or not file_names.is_in_tree(path):
            return super().transcripts(file)
        if not file_names.is_session(path):
            return ()
        from memtui_core.readers.agents.opencode.tree import transcript_of

        return transcript_of(self.agent, path)

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
    copying = Copying(locations=(f".local/share/{folder}/{folder}*.db",), tables=_TABLES, has_secrets=True)
    resume: Sequence[str] = (folder, "--session")
    start: Sequence[str] = (folder, "--prompt")
    connection = "memtui_core.readers.agents.opencode.connection:KILO"

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The databases; Kilo never wrote a tree of JSON files."""
        return [path for path in super().default_locations(environ) if path.suffix == ".db"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a database, by its name."""
        return self.is_database(path)
