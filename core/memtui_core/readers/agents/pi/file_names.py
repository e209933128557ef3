"""What the path of a session of Pi says: `<folder>/<time>_<session id>.jsonl`, subagents in a folder of that name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"\d{4}-\d\d-\d\dT[^_]*_(.+)", re.DOTALL)


def session_in_name(path: Path) -> str:
    """The session id in the name of a session's file; empty if the file is named otherwise."""
    match = _NAME.fullmatch(path.name.removesuffix(".jsonl"))
    return match[1] if match else ""


def parent_in_path(path: Path) -> str:
    """The id of the session whose folder contains a subagent's file; empty if there is none."""
    return next((session for folder in path.parents if (session := session_in_name(folder))), "")


def subagent_in_path(path: Path) -> str:
    """The name of a subagent's file in the folder of its parent, without the suffix."""
    folder = next((folder for folder in path.parents if session_in_name(folder)), path.parent)
    return path.relative_to(folder).with_suffix("").as_posix()


def project_folder(path: Path) -> str:
    """The name of the folder from which the project can be guessed, with one dash in front, as in `-home-ana-code`."""
    folder = path.parent
    while session_in_name(folder) and folder.parent != folder:
        folder = folder.parent
    return f"-{folder.name.strip('-')}"


def session_of_reference(reference: str) -> str:
    """The session id in a reference to a session, which is the path of its file or its id."""
    name = reference.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return session_in_name(Path(name)) or name.removesuffix(".jsonl") if name else ""
