"""The files in the folder of Codex that contain the names of threads, which users can change at any time.

Current versions store them in a database, `state_<version>.sqlite`; versions before appended them to
`session_index.jsonl`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from memtui_core.readers.agents.codex.file_names import ARCHIVE, SESSIONS

NAME_LIST: Final = "session_index.jsonl"
_SIDE: Final = re.compile(r"-(?:wal|shm|journal)$")
_DATABASE: Final = re.compile(r"(state|thread_history)(?:_(\d+))?\.sqlite")
DATABASES: Final = "CODEX_SQLITE_HOME"
"""The environment variable with the folder of the databases, if it is not that of Codex."""


def is_name_file(path: Path) -> bool:
    """Whether a file contains names of threads, or is the log of one."""
    if path.name != NAME_LIST and not _DATABASE.fullmatch(_SIDE.sub("", path.name)):
        return False
    folder = path.parent
    if folder.name == ".codex" or str(folder) == os.environ.get(DATABASES):
        return True
    return any((folder / name).is_dir() for name in (SESSIONS, ARCHIVE))


def name_file_of(path: Path) -> Path:
    """The file with names to which a log belongs; the file itself for any other."""
    return path.with_name(_SIDE.sub("", path.name))


def name_files(home: Path, databases: Path) -> list[Path]:
    """The existing files with names of threads: the list, and of each kind of database the newest version."""
    newest: dict[str, tuple[int, Path]] = {}
    for path in sorted(databases.glob("*.sqlite")):
        if match := _DATABASE.fullmatch(path.name):
            kind, version = match[1], int(match[2] or 0)
            if kind not in newest or version > newest[kind][0]:
                newest[kind] = (version, path)
    names = home / NAME_LIST
    return [*([names] if names.exists() else []), *(path for _, path in newest.values())]
