"""What the path of a file says: `sessions/<folder>/<session id>/agents/<agent>/wire.jsonl`, `state.json` above."""

from __future__ import annotations

from pathlib import Path
from typing import Final

RECORDS: Final = "wire.jsonl"
STATE: Final = "state.json"
MAIN: Final = "main"
"""The agent that the user talks to."""
_AGENTS: Final = "agents"


def is_in_session(path: Path) -> bool:
    """Whether a file has the name and the place of one of the files of a session."""
    if path.name == RECORDS:
        return path.parent.parent.name == _AGENTS
    return path.name == STATE and path.parent.parent.parent.name == "sessions"


def records_of_main(state: Path) -> Path:
    """The records of the main agent of a session, given the file about the session."""
    return state.parent / _AGENTS / MAIN / RECORDS


def agents_folder(path: Path) -> Path:
    """The folder with the records of all agents of a session."""
    return path.parent.parent


def state_of(path: Path) -> Path | None:
    """The file about the session to which records belong; None if they are elsewhere."""
    return path.parent.parent.parent / STATE if is_in_session(path) else None


def session_of(path: Path) -> str:
    """The id of the session to which records belong."""
    return path.parent.parent.parent.name if is_in_session(path) else path.stem


def agent_of(path: Path) -> str:
    """The agent that wrote records."""
    return path.parent.name if is_in_session(path) else MAIN


def subagent_session(session: str, agent: str) -> str:
    """The session id of a subagent: agents are numbered in each session."""
    return f"{agent}.{session}"
