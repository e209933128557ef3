"""The names of Cursor's files.

In `~/.cursor`, a chat is `projects/<project>/agent-transcripts/<id>/<id>.jsonl`, in older versions without the folder
`<id>` or with the suffix `.txt`; its subagents are in `<id>/subagents/`. The chats of the terminal program also have a
folder `chats/<hash>/<id>/`, whose `meta.json` has the working directory. The editor has one database.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.conversion.json_values import string
from memtui_core.readers.formats.beside import object_beside

DATABASE: Final = "state.vscdb"
USER_FOLDERS: Final = (
    ".config/Cursor/User",
    "Library/Application Support/Cursor/User",
    "AppData/Roaming/Cursor/User",
)
"""The editor's folders in the home folder, by the system."""
EDITOR_PATHS: Final = tuple(f"{folder}/globalStorage" for folder in USER_FOLDERS)
"""The folders of the editor's database in the home folder, by the system."""
_TRANSCRIPTS: Final = "agent-transcripts"
_SUBAGENTS: Final = "subagents"
_ID: Final = re.compile(r"[\w.-]{1,128}")


def is_transcript_file(path: Path) -> bool:
    """Whether a path is that of a chat or a subagent."""
    return path.suffix in {".jsonl", ".txt"} and _TRANSCRIPTS in path.parts


def is_database_file(path: Path) -> bool:
    """Whether a path is that of the editor's database, or of its log."""
    return path.name.startswith(DATABASE) and path.parent.name == "globalStorage" and "Cursor" in path.parts


def may_be_database(path: Path) -> bool:
    """Whether a path may be that of a copy of the editor's database, or of a copy's log."""
    return Path(DATABASE).suffix in path.suffix or path.name.startswith(DATABASE)


def parent_of(path: Path) -> str | None:
    """The id of the chat that started a subagent; None for a chat."""
    return path.parent.parent.name if path.parent.name == _SUBAGENTS else None


def project_name(path: Path) -> str:
    """The name of the project's folder, which is its path with a hyphen in place of what is no letter or digit."""
    parts = path.parts
    return "-" + parts[parts.index(_TRANSCRIPTS) - 1] if _TRANSCRIPTS in parts[1:] else ""


def settings_folder(path: Path) -> Path | None:
    """The folder `.cursor` of a transcript; None if the file is in another layout."""
    parents = path.parents
    return next((folder.parent for folder in parents if folder.name == "projects"), None) if parents else None


def chat_about(settings: Path | None, session_id: str) -> dict[str, Any]:
    """What the terminal program wrote about a chat; empty if it does not know the chat."""
    if settings is None or not _ID.fullmatch(session_id):
        return {}
    try:
        for folder in sorted((settings / "chats").iterdir()):
            if (folder / session_id).is_dir():
                return object_beside(folder / session_id / "meta.json")
    except OSError:
        pass
    return {}


def has_chat(settings: Path, session_id: str) -> bool:
    """Whether the terminal program can resume a chat."""
    if not _ID.fullmatch(session_id):
        return False
    try:
        return any((folder / session_id).is_dir() for folder in (settings / "chats").iterdir())
    except OSError:
        return False


def title_in(about: dict[str, Any]) -> str:
    """The title that the terminal program gave to a chat; empty if there is none."""
    return (string(about.get("title")) or string(about.get("name")) or "").strip()
