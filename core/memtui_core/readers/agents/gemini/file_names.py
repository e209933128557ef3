"""The names of Gemini CLI's files: `tmp/<project>/chats/session-<time>-<id>.jsonl`, and `chats/<parent>/<id>.jsonl`.

The folder of a project is named after it, or by the hash of its path. Forks of Gemini CLI write the same layout in
folders of their own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_CHATS: Final = "chats"
_TMP: Final = "tmp"
_FORKS: Final = frozenset({".qwen", ".tabnine"})


def is_chat_file(path: Path) -> bool:
    """Whether a path is that of a session or a subagent."""
    parts = path.parts
    if path.suffix not in {".json", ".jsonl"} or not _FORKS.isdisjoint(parts):
        return False
    if path.parent.name == _CHATS:
        return path.name.startswith("session-")
    return parent_of(path) is not None


def is_private(path: Path) -> bool:
    """Whether a file is in the folder of Gemini CLI or of a fork, so that its path says what it is."""
    return not {".gemini", *_FORKS}.isdisjoint(path.parts)


def parent_of(path: Path) -> str | None:
    """The id of the session that started a subagent, by the path of the subagent's file; None for other files."""
    parts = path.parts
    return (
        parts[-2] if path.suffix == ".jsonl" and len(parts) > 4 and (parts[-5], parts[-3]) == (_TMP, _CHATS) else None
    )


def project_folder(path: Path) -> Path | None:
    """The folder of the project in `tmp`; None if the file is in another layout."""
    folder = path.parent.parent if parent_of(path) is not None else path.parent
    return folder.parent if folder.name == _CHATS else None
