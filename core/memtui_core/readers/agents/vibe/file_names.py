"""What the path of a file says.

A session is a folder `session_<time>_<start of its id>` with `messages.jsonl` and `meta.json`. Its subagents have such
folders in `agents`, named after the agent. Before version 2 a session was one file with the name of that folder.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

MESSAGES: Final = "messages.jsonl"
META: Final = "meta.json"
AGENTS: Final = "agents"
_NAME: Final = re.compile(r".+_\d{8}_\d{6}_[^_.]+", re.DOTALL)
_PLACE: Final = ("logs", "session")


def is_in_session(path: Path) -> bool:
    """Whether a file has the name and the place of a file of a session."""
    if path.name == MESSAGES:
        return is_session_name(path.parent.name) or _is_in_place(path.parent)
    return path.name == META and is_session_name(path.parent.name)


def is_old_session(path: Path) -> bool:
    """Whether a file has the name of a session of the first versions."""
    return path.suffix == ".json" and is_session_name(path.stem) and path.stem.startswith("session_")


def is_session_name(name: str) -> bool:
    """Whether a name is one of a session's folder."""
    return _NAME.fullmatch(name) is not None


def messages_of(path: Path) -> Path:
    """The messages of the session to which a file belongs."""
    return path.with_name(MESSAGES) if path.name == META else path


def parent_folder(path: Path) -> Path | None:
    """The folder of the session that started a subagent, given the subagent's file; None for other sessions."""
    agents = path.parent.parent
    return agents.parent if path.name == MESSAGES and agents.name == AGENTS else None


def _is_in_place(folder: Path) -> bool:
    return folder.parent.parts[-2:] == _PLACE
