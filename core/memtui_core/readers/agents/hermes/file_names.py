"""The names of the files of Hermes Agent.

A profile has a folder with the database `state.db`. Its folder `sessions` has what older versions wrote besides: lines
in `<session>.jsonl`, written by the gateway of chat programs, and a document in `session_<session>.json`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from memtui_core.readers.formats.databases import database_of

DATABASE: Final = "state.db"
SESSIONS: Final = "sessions"
PROFILES: Final = "profiles"
_DOCUMENT: Final = "session_"
_HOMES: Final = frozenset({"hermes", "hermes-agent"})
"""The names of the folder with the profiles, in any case, unless the user has chosen another one."""


def is_document(path: Path) -> bool:
    """Whether a file has the name of a document."""
    return path.suffix == ".json" and path.name.startswith(_DOCUMENT)


def session_of(path: Path) -> str:
    """The session id in the name of a file."""
    return path.stem.removeprefix(_DOCUMENT) if is_document(path) else path.stem


def database_for(path: Path) -> Path:
    """The database of the profile to which a file of a session belongs."""
    return path.parent.parent / DATABASE


def lines_for(path: Path) -> Path:
    """The lines that the gateway wrote for the session of a document."""
    return path.with_name(f"{session_of(path)}.jsonl")


def is_in_profile(path: Path) -> bool:
    """Whether a file is the database or in the folder of sessions of a profile, by the names of the folders."""
    is_database = database_of(path).name == DATABASE
    folder = path.parent if is_database else path.parent.parent
    if not is_database and path.parent.name != SESSIONS:
        return False
    return _is_home(folder) or (folder.parent.name == PROFILES and _is_home(folder.parent.parent))


def _is_home(folder: Path) -> bool:
    return folder.name.lower().lstrip(".") in _HOMES
