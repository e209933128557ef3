"""The readers that there are, one line each."""

from __future__ import annotations

from pathlib import Path

from memtui_core.model import Session
from memtui_core.readers.base import Reader
from memtui_core.readers.claude_code import ClaudeCode
from memtui_core.text.controls import stored

_readers: list[Reader] = []


def register(reader: Reader) -> None:
    """Add a reader; of several that accept a file the one that was added last reads it."""
    _readers.insert(0, reader)


# Accepts every file of JSON lines, and so comes first.
register(ClaudeCode())


def readers() -> list[Reader]:
    """All readers, the one that is asked first at the front."""
    return list(_readers)


def reader_of(agent: str) -> Reader | None:
    """The reader of an agent; None for one that this memtui does not read."""
    return next((reader for reader in _readers if reader.agent == agent), None)


def reader_for(path: Path, agent: str | None = None) -> Reader | None:
    """The reader that accepts a file: that of an agent, or of all the first; None when it is no transcript."""
    return next((one for one in _readers if agent in (None, one.agent) and one.accepts(path)), None)


def short_name(agent: str) -> str:
    """The name of an agent at the head of a turn; its id when it is not known."""
    reader = reader_of(agent)
    return reader.short_name if reader else agent


def is_agents_own(path: str) -> bool:
    """Whether an agent keeps a file for itself, so that to touch it is no work on a project."""
    return any(folder in path for reader in _readers for folder in reader.own_folders)


def resume_command(session: Session) -> list[str] | None:
    """What goes on with a session in its agent, to be run in the session's folder; None where the agent cannot.

    The id is what a transcript says: one that the agent would take for an option is none.
    """
    reader, session_id = reader_of(session.agent), stored(session.session_id)
    if reader is None or session.parent is not None or session_id.startswith("-"):
        return None
    return reader.resume_command(session_id)
