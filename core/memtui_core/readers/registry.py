"""The list of readers."""

from __future__ import annotations

from pathlib import Path

from memtui_core.model import Session
from memtui_core.readers.antigravity import Antigravity
from memtui_core.readers.base import Reader
from memtui_core.readers.claude_code import ClaudeCode
from memtui_core.readers.cline import Cline
from memtui_core.readers.cursor import CursorAgent
from memtui_core.readers.droid import Droid
from memtui_core.readers.gemini import Gemini
from memtui_core.readers.qwen import Qwen
from memtui_core.readers.roo import Roo
from memtui_core.text.controls import stored

_readers: list[Reader] = []


def register(reader: Reader) -> None:
    """Add a reader. If several readers accept a file, the one registered last reads it."""
    _readers.insert(0, reader)


# Accepts every JSON lines file, so it must be registered first.
register(ClaudeCode())
register(Gemini())
register(Antigravity())
register(Droid())
register(Qwen())
register(CursorAgent())
register(Cline())
register(Roo())


def readers() -> list[Reader]:
    """All readers, by descending precedence."""
    return list(_readers)


def reader_of(agent: str) -> Reader | None:
    """The reader of an agent; None if there is none."""
    return next((reader for reader in _readers if reader.agent == agent), None)


def reader_for(path: Path, agent: str | None = None) -> Reader | None:
    """The reader that accepts a file, of all readers or of one agent; None if the file belongs to no transcript."""
    for reader in _readers:
        if (agent is None or reader.agent == agent) and reader.accepts(path):
            return reader
    return None


def short_name(agent: str) -> str:
    """The name of an agent in the heading of a turn; its id if there is no reader."""
    reader = reader_of(agent)
    return reader.short_name if reader else agent


def is_agents_own(path: str) -> bool:
    """Whether a path is a private file of an agent, so that touching it is not work on a project."""
    return any(folder in path for reader in _readers for folder in reader.own_folders)


def resume_command(session: Session) -> list[str] | None:
    """The command that resumes a session, to be run in the session's folder; None if the session cannot be resumed.

    The id comes from a transcript: an id that the agent would parse as an option is refused.
    """
    reader, session_id = reader_of(session.agent), stored(session.session_id)
    if reader is None or session.parent is not None or session_id.startswith("-"):
        return None
    return reader.resume_command(session_id)
