"""The names of the files of Cline and of agents that come from it.

The extension has a folder `tasks/<task>/` for each task, in the `globalStorage` of an editor. The program for the
terminal has a folder `sessions/<session>/` with `<session>.json`, `<session>.messages.json`, a summary in
`<session>.compaction.json`, and `<agent>.messages.json` for each subagent.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

TASKS: Final = "tasks"
HISTORY: Final = "api_conversation_history.json"
OLD_HISTORY: Final = "claude_messages.json"
SCREEN: Final = "ui_messages.json"
METADATA: Final = "task_metadata.json"
ABOUT: Final = "history_item.json"
TASK_FILES: Final = frozenset({HISTORY, OLD_HISTORY, SCREEN, METADATA, ABOUT})
MESSAGES: Final = ".messages.json"
SUMMARY: Final = ".compaction.json"
_EDITORS: Final = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_EDITOR_FOLDERS: Final = (".config", "Library/Application Support", "AppData/Roaming")
"""The folders of editors in the home folder, by the system."""
_SERVERS: Final = (".vscode-server", ".vscode-server-insiders", ".cursor-server", ".windsurf-server")
"""The folders of editors that work on this computer over a network."""
_STORAGE: Final = "globalStorage"


def extension_folders(extension: str, home: Path) -> list[Path]:
    """The existing folders with the tasks of an extension; that of Visual Studio Code if there are none."""
    folders = [home / storage / TASKS for storage in extension_storages(extension)]
    return [folder for folder in folders if folder.is_dir()] or folders[:1]


def extension_storages(extension: str) -> list[str]:
    """The folders, as paths in the home folder, in which editors may keep what belongs to an extension."""
    users = [f"{folder}/{editor}/User" for folder in _EDITOR_FOLDERS for editor in _EDITORS]
    users += [f"{server}/data/User" for server in _SERVERS]
    return [f"{user}/{_STORAGE}/{extension}" for user in users]


def extension_of(task_file: Path) -> str:
    """The extension in whose storage a file of a task is; empty if it is elsewhere."""
    storage = task_file.parent.parent.parent
    return storage.name if storage.parent.name == _STORAGE else ""


def is_task_file(path: Path) -> bool:
    """Whether a path is that of a file of a task."""
    return path.name in TASK_FILES and path.parent.parent.name == TASKS


def history_file(task: Path) -> Path | None:
    """The file with the conversation of a task; None if there is none."""
    return next((task / name for name in (HISTORY, OLD_HISTORY) if (task / name).is_file()), None)


def is_session_file(path: Path) -> bool:
    """Whether a path is that of a file of a session of the terminal program."""
    folder = path.parent
    if folder.parent.name != "sessions" or path.suffix != ".json":
        return False
    return path.name in {f"{folder.name}.json", f"{folder.name}{SUMMARY}"} or path.name.endswith(MESSAGES)


def subagent_files(session: Path) -> Iterator[tuple[str, Path]]:
    """The ids and files of the subagents of a session, given its folder."""
    for path in sorted(session.glob(f"*{MESSAGES}")):
        agent = path.name.removesuffix(MESSAGES)
        if agent and agent != session.name and "#" not in agent:
            yield agent, path
