"""The agent: its locations, its files and its command."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from memtui_brook.database import DATABASE, FILES, DatabaseReading, sessions_in
from memtui_brook.folder import SUFFIX, FolderReading, files_in
from memtui_brook.profile import PROFILE
from memtui_core.readers.agent import FileReader
from memtui_core.readers.base import Cursor, Reading, Retention, Transcript
from memtui_core.system.walk import RegularFile


class Brook(FileReader):
    """The reader of Brook."""

    agent = "brook"
    name = "Brook"
    short_name = "brook"
    label = "br"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.brook/",)
    resume: Sequence[str] = ("brook", "again")

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folder that the environment names."""
        return [Path(environ["BROOK_HOME"])] if "BROOK_HOME" in environ else []

    def accepts(self, path: Path) -> bool:
        """Whether it is the database, its log, or a file in the folder of a session."""
        return path.name in FILES or (path.suffix == ".json" and path.parent.suffix == SUFFIX)

    def container(self, path: Path) -> Path:
        """The database, or the folder."""
        return path.with_name(DATABASE) if path.name in FILES else path.parent

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The sessions of the database, or the one in the folder."""
        container = self.container(file.path)
        if not container.exists():
            return []
        if container.name == DATABASE:
            return [Transcript(self.agent, container, size, at, part) for part, size, at in sessions_in(container)]
        stats = [path.stat() for path in files_in(container)]
        size, newest = sum(one.st_size for one in stats), max(one.st_mtime_ns for one in stats)
        return [Transcript(self.agent, container, size, newest)]

    def read(self, transcript: Transcript, cursor: Cursor) -> Reading:
        """Open a session."""
        return DatabaseReading(transcript, cursor) if transcript.part else FolderReading(transcript, cursor)

    def retention(self, location: Path) -> Retention | None:
        """The days in the settings."""
        settings = location / "settings.json"
        if not settings.exists():
            return None
        days = json.loads(settings.read_text()).get("keep")
        return Retention(self.agent, self.name, days, settings, "keep") if isinstance(days, int) else None
