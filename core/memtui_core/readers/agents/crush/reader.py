"""The reader of Crush: its locations and commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memtui_core.readers.agents.crush.profile import PROFILE
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.databases import DatabaseReader
from memtui_core.system.locations import folder_of, home_in


class Crush(DatabaseReader):
    """The reader of Crush, which keeps a database in each project and a list of the projects."""

    agent = "crush"
    name = "Crush"
    short_name = "crush"
    label = "cr"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.crush/", "/.local/share/crush/")
    database = "crush.db"
    sessions = "memtui_core.readers.agents.crush.transcript:sessions_in"
    reading = "memtui_core.readers.agents.crush.transcript:CrushReading"
    copying = Copying(
        locations=tuple(f"{folders}.crush/crush.db" for folders in ("*/", "*/*/", "*/*/*/")),
        tables={"sessions": "", "messages": ""},
    )
    """The list of projects has the paths of the other machine, so projects are looked for three folders deep."""
    resume: Sequence[str] = ("crush", "--session")
    connection = "memtui_core.readers.agents.crush.connection:CONNECTION"
    """It knows only the sessions of the project in which it runs."""

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The databases of the projects in the list, which is in `CRUSH_GLOBAL_DATA` or the user's folder of data."""
        folder = folder_of(environ.get("CRUSH_GLOBAL_DATA"))
        if folder is None:
            folder = (folder_of(environ.get("XDG_DATA_HOME")) or home_in(environ) / ".local" / "share") / "crush"
        return sorted({project / self.database for project in _data_folders(folder / "projects.json")})


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
