"""The reader of iFlow CLI: its locations, files and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.iflow.profile import PROFILE
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import home_in

_PREFIX: Final = "session-"
"""The start of the names of sessions, and of their ids."""


class IFlow(FileReader):
    """The reader of iFlow CLI."""

    agent = "iflow"
    name = "iFlow CLI"
    short_name = "iflow"
    label = "if"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.iflow/projects/", "/.iflow/tmp/", "/.iflow/cache/")
    samples_only = True
    reading = "memtui_core.readers.agents.iflow.transcript:IFlowReading"
    resume: Sequence[str] = ("iflow", "--resume")
    start: Sequence[str] = ("iflow", "-i")

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """`~/.iflow/projects`."""
        return [home_in(environ) / ".iflow" / "projects"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a session: by its folder and name, or by its first line, whose id no other agent writes so."""
        if path.suffix != ".jsonl":
            return False
        if "/.iflow/projects/" in path.as_posix():
            return path.name.startswith(_PREFIX)
        return _is_of_session(first_entry(path))


def _is_of_session(entry: dict[str, Any]) -> bool:
    session, is_said = entry.get("sessionId"), isinstance(entry.get("message"), dict)
    return isinstance(session, str) and session.startswith(_PREFIX) and is_said and "uuid" in entry
