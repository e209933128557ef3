"""The reader of Crush: its locations and commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from memtui_core.readers.agents.crush.profile import PROFILE
from memtui_core.readers.base import Cursor, Transcript
from memtui_core.readers.formats.databases import DatabaseReader, names_of
from memtui_core.system.locations import folder_of

if TYPE_CHECKING:
    import sqlite3

    from memtui_core.readers.agents.crush.transcript import CrushReading

DATABASE: Final = "crush.db"
_DATABASES: Final = names_of(DATABASE)


class Crush(DatabaseReader):
    """The reader of Crush, which keeps a database in each project and a list of the projects."""

    agent = "crush"
    name = "Crush"
    short_name = "crush"
    label = "cr"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.crush/", "/.local/share/crush/")

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The databases of the projects in the list, which is in `CRUSH_GLOBAL_DATA` or the user's folder of data."""
        folder = folder_of(environ.get("CRUSH_GLOBAL_DATA"))
        if folder is None:
            folder = (folder_of(environ.get("XDG_DATA_HOME")) or Path.home() / ".local" / "share") / "crush"
        return sorted({project / DATABASE for project in _data_folders(folder / "projects.json")})

    def accepts(self, path: Path) -> bool:
        """Whether it is a database, by its name."""
        return path.name in _DATABASES

    def sessions(self, connection: sqlite3.Connection, path: Path) -> Iterable[Transcript]:
        """The sessions of a database."""
        from memtui_core.readers.agents.crush.transcript import sessions_in

        return sessions_in(connection, self.agent, path)

    def read(self, transcript: Transcript, cursor: Cursor) -> CrushReading:
        """Open a transcript at a cursor."""
        from memtui_core.readers.agents.crush.transcript import CrushReading

        return CrushReading(transcript, cursor)

    def resume_command(self, session_id: str) -> list[str] | None:
        """`crush --session`, which knows only the sessions of the project in which it runs."""
        return ["crush", "--session", session_id]


def _data_folders(projects: Path) -> Iterable[Path]:
    """The folders with the databases, from a list of {"path", "data_dir"} or an object of them; empty if unreadable."""
    import orjson

    try:
        value: Any = orjson.loads(projects.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return
    value = value.get("projects", value) if isinstance(value, dict) else value
    for project in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(project, dict) and isinstance(path := project.get("path"), str) and path and "\0" not in path:
            folder = project.get("data_dir")
            yield Path(path) / (folder if isinstance(folder, str) and folder and "\0" not in folder else ".crush")
