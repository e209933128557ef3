"""The reader of Goose: its locations and commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.agents.goose.profile import PROFILE
from memtui_core.readers.base import Cursor, Transcript
from memtui_core.readers.formats.databases import DatabaseReader, names_of
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import folder_of
from memtui_core.system.walk import RegularFile

if TYPE_CHECKING:
    import sqlite3

    from memtui_core.readers.agents.goose.transcript import GooseReading

_DATABASES: Final = names_of("sessions.db")


class Goose(DatabaseReader):
    """The reader of Goose: its database, and the JSON lines files of versions before 1.10."""

    agent = "goose"
    name = "Goose"
    short_name = "goose"
    label = "go"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.local/share/goose/", "/.config/goose/")
    samples_only = True

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folder `sessions`, in `GOOSE_PATH_ROOT` or in the user's folder of data."""
        if root := folder_of(environ.get("GOOSE_PATH_ROOT")):
            return [root / "data" / "sessions"]
        folder = folder_of(environ.get("XDG_DATA_HOME")) or Path.home() / ".local" / "share"
        return [folder / "goose" / "sessions"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a database or a JSON lines file in a folder of Goose, or starts like such a file."""
        is_inside = any(part.lower().lstrip(".") in {"goose", "block.goose"} for part in path.parts[:-1])
        if path.name in _DATABASES:
            return is_inside
        if path.suffix != ".jsonl":
            return False
        if is_inside and path.parent.name == "sessions":
            return True
        first = first_entry(path)
        return "working_dir" in first and "message_count" in first

    def container(self, path: Path) -> Path:
        """The database; or the file itself."""
        return path if path.suffix == ".jsonl" else super().container(path)

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The sessions of a database, or the session of a file. Raises SourceUnreadable."""
        if file.path.suffix == ".jsonl":
            return (Transcript(self.agent, file.path, file.size, file.mtime),)
        return super().transcripts(file)

    def sessions(self, connection: sqlite3.Connection, path: Path) -> Iterable[Transcript]:
        """The sessions of a database."""
        from memtui_core.readers.agents.goose.stores import sessions_in

        return sessions_in(connection, self.agent, path)

    def read(self, transcript: Transcript, cursor: Cursor) -> GooseReading:
        """Open a transcript at a cursor."""
        from memtui_core.readers.agents.goose.transcript import GooseReading

        return GooseReading(transcript, cursor)

    def resume_command(self, session_id: str) -> list[str] | None:
        """`goose session --resume`."""
        return ["goose", "session", "--resume", "--session-id", session_id]

    def start_command(self, prompt: str) -> list[str] | None:
        """`goose run` that stays open after the prompt."""
        return ["goose", "run", "--interactive", "--text", prompt]
