"""The names of Qwen Code's files in `projects/<project>/`.

They are `chats/<session>.jsonl`, and for a subagent `subagents/<session>/agent-<id>.jsonl`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_CHATS: Final = "chats"
_SUBAGENTS: Final = "subagents"


def is_session_file(path: Path) -> bool:
    """Whether a path is that of a session or a subagent."""
    if path.suffix != ".jsonl":
        return False
    return (path.parent.name == _CHATS and _is_project(path.parent.parent)) or parent_of(path) is not None


def parent_of(path: Path) -> str | None:
    """The id of the session that started a subagent, by the path of the subagent's file; None for other files."""
    folder = path.parent.parent
    if path.name.startswith("agent-") and folder.name == _SUBAGENTS and _is_project(folder.parent):
        return path.parent.name
    return None


def project_folder(path: Path) -> Path | None:
    """The folder of the project; None if the file is in another layout."""
    if not is_session_file(path):
        return None
    return path.parent.parent.parent if parent_of(path) is not None else path.parent.parent


def subagent_folder(path: Path) -> Path | None:
    """The folder with the files of a session's subagents; None if the file is in another layout."""
    folder = project_folder(path)
    return folder / _SUBAGENTS / path.stem if folder is not None and parent_of(path) is None else None


def _is_project(folder: Path) -> bool:
    return folder.parent.name == "projects"
