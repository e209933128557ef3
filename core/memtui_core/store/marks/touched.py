"""The names of the small files of which the hook before a tool opens a file makes its reminder.

Each project that was used lately has one, so that little is written when a turn ends. Its name says which project it is
of, and stands for the state of the index in which it was made.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any, Final

from memtui_core.store.data_folder import DataDir

TEXT: Final = 400
"""Characters of which a reminder can be made, of a prompt with its answer."""
_END: Final = ".json.z"


def folders_file(data: DataDir) -> Path:
    """The file with root, folder and worktree of all sessions of this machine."""
    return data.touched / "folders.json"


def new_project_file(data: DataDir, root: str, state: int) -> Path:
    """The file of a project; `state` is a number of 64 bits."""
    return data.touched / f"{_begin(root)}{state:016x}{_END}"


def project_file(data: DataDir, root: str) -> Path:
    """The file of a project as it is now. Raises OSError, also if there is none."""
    begin = _begin(root)
    for path in data.touched.iterdir():
        if path.name.startswith(begin) and path.name.endswith(_END):
            return path
    raise FileNotFoundError(begin)


def packed(content: bytes) -> bytes:
    """The content of the file of a project, given its JSON: it is written often, and a third of it on the disk."""
    return zlib.compress(content, 1)


def unpacked(content: bytes) -> Any:
    """The value in the content of the file of a project. Raises ValueError."""
    try:
        return json.loads(zlib.decompress(content))
    except zlib.error as error:
        raise ValueError(str(error)) from error


def _begin(root: str) -> str:
    return f"{zlib.crc32(root.encode()):08x}-"
