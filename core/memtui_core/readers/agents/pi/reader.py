"""The readers of Pi and Oh My Pi: their locations, files and commands. Both write the same kind of file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.pi.file_names import session_in_name
from memtui_core.readers.agents.pi.profile import PROFILE
from memtui_core.readers.conversion.json_values import mapping
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import folder_of, home_in

_AGENT_FOLDER: Final = "PI_CODING_AGENT_DIR"
"""The variable with the folder of either agent."""
_SESSION_FOLDER: Final = "PI_CODING_AGENT_SESSION_DIR"
_PI, _OH_MY_PI = "/.pi/", "/.omp/"


class Pi(FileReader):
    """The reader of Pi."""

    agent = "pi"
    name = "Pi"
    short_name = "pi"
    label = "pi"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.pi/agent/",)
    reading = "memtui_core.readers.agents.pi.transcript:PiReading"
    resume: Sequence[str] = ("pi", "--session")
    start: Sequence[str] = ("pi",)
    connection = "memtui_core.readers.agents.pi.connection:CONNECTION"

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """`PI_CODING_AGENT_SESSION_DIR`, or `sessions` in `PI_CODING_AGENT_DIR` or in `~/.pi/agent`."""
        folder = folder_of(environ.get(_AGENT_FOLDER))
        if folder is None or _is_oh_my_pi(folder):
            folder = home_in(environ) / ".pi" / "agent"
        return [folder_of(environ.get(_SESSION_FOLDER)) or folder / "sessions"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a session: by its folder, or by its first line."""
        if path.suffix != ".jsonl" or _OH_MY_PI in path.as_posix():
            return False
        if session_in_name(path) and (_PI in path.as_posix() or not path.exists()):
            return True
        entry = first_entry(path)
        return _has_entries(entry) and not _has_title(entry)

    def subagent_locations(self, path: Path) -> Sequence[Path]:
        """The folder with the name of the session."""
        return [path.with_suffix("")]


class OhMyPi(Pi):
    """The reader of Oh My Pi."""

    agent = "omp"
    name = "Oh My Pi"
    short_name = "omp"
    label = "om"
    own_folders: Sequence[str] = ("/.omp/agent/",)
    samples_only = True
    resume: Sequence[str] = ("omp", "--resume")
    start: Sequence[str] = ("omp",)
    connection = ""

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """`sessions` in `PI_CODING_AGENT_DIR`, if that is a folder of Oh My Pi, or in `~/.omp/agent`."""
        folder = folder_of(environ.get(_AGENT_FOLDER))
        if folder is None or not _is_oh_my_pi(folder):
            folder = home_in(environ) / ".omp" / "agent"
        return [folder / "sessions"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a session: by its folder, or by its first line, which contains a title."""
        if path.suffix != ".jsonl" or _PI in path.as_posix():
            return False
        if _OH_MY_PI in path.as_posix():
            return session_in_name(path) != "" or _has_entries(first_entry(path)) or not path.exists()
        return _has_title(first_entry(path))


def _is_oh_my_pi(folder: Path) -> bool:
    """Whether a folder is that of Oh My Pi: both agents read the same variable."""
    return any("omp" in part.lower() for part in folder.parts)


def _has_entries(entry: dict[str, Any]) -> bool:
    """Whether the first entry of a file is the header of a session, or a message if the header is missing."""
    kind = entry.get("type")
    if kind == "session":
        return isinstance(entry.get("id"), str) and isinstance(entry.get("timestamp"), str)
    is_message = (
        kind == "message" and "parentId" in entry and isinstance(mapping(entry.get("message")).get("role"), str)
    )
    return is_message or _has_title(entry)


def _has_title(entry: dict[str, Any]) -> bool:
    """Whether the first entry is the title line of Oh My Pi, or a header with a title, which Pi does not write."""
    if entry.get("type") == "title":
        return isinstance(entry.get("title"), str) and "updatedAt" in entry
    return entry.get("type") == "session" and "title" in entry and isinstance(entry.get("timestamp"), str)
