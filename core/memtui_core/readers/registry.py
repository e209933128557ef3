"""The list of readers."""

from __future__ import annotations

from pathlib import Path

from memtui_core.model import Session
from memtui_core.readers.antigravity import Antigravity
from memtui_core.readers.base import Reader
from memtui_core.readers.chat_exports import ChatGpt, ClaudeAi
from memtui_core.readers.claude_code import ClaudeCode
from memtui_core.readers.cline import Cline
from memtui_core.readers.codex import Codex
from memtui_core.readers.copilot import Copilot
from memtui_core.readers.crush import Crush
from memtui_core.readers.cursor import CursorAgent
from memtui_core.readers.droid import Droid
from memtui_core.readers.gemini import Gemini
from memtui_core.readers.generic import Generic
from memtui_core.readers.goose import Goose
from memtui_core.readers.kimi import Kimi
from memtui_core.readers.kiro import Kiro
from memtui_core.readers.opencode import Kilo, OpenCode
from memtui_core.readers.pi import OhMyPi, Pi
from memtui_core.readers.qwen import Qwen
from memtui_core.readers.roo import Roo
from memtui_core.readers.zed import Zed
from memtui_core.text.controls import stored

_readers: list[Reader] = []
_named_readers: list[Reader] = []
"""Readers of formats that no file tells apart from others: they read only what is named to be theirs."""


def register(reader: Reader, *, only_named: bool = False) -> None:
    """Add a reader. If several readers accept a file, the one registered last reads it.

    With `only_named` it reads no file unless its agent is named.
    """
    (_named_readers if only_named else _readers).insert(0, reader)


# Accepts every JSON lines file, so it must be registered first.
register(ClaudeCode())
register(Generic(), only_named=True)
register(ChatGpt())
register(ClaudeAi())
register(Codex())
register(OpenCode())
register(Kilo())
register(Goose())
register(Zed())
register(Crush())
register(Kiro())
register(Pi())
register(OhMyPi())
register(Copilot())
register(Kimi())
register(Droid())
register(Gemini())
register(Antigravity())
register(Qwen())
register(CursorAgent())
register(Cline())
register(Roo())


def readers() -> list[Reader]:
    """The readers that recognize the transcripts of their agent, by descending precedence."""
    return list(_readers)


def all_readers() -> list[Reader]:
    """All readers, also those that read only what is named to be theirs."""
    return [*_readers, *_named_readers]


def reader_of(agent: str) -> Reader | None:
    """The reader of an agent; None if there is none."""
    return next((reader for reader in all_readers() if reader.agent == agent), None)


def reader_named(name: str) -> Reader | None:
    """The reader of an agent by its id or one of its names, in any case; None if there is none."""
    lower = name.casefold()
    readers = all_readers()
    return next(
        (reader for reader in readers if lower in (reader.agent, reader.short_name, reader.name.casefold())), None
    )


def starting_readers() -> list[Reader]:
    """The readers of the agents that can be started with a prompt, in the order of their registration."""
    return [reader for reader in reversed(_readers) if reader.start_command("") is not None]


def reader_for(path: Path, agent: str | None = None) -> Reader | None:
    """The reader that accepts a file, of all readers or of one agent; None if the file belongs to no transcript."""
    if agent is not None:
        reader = reader_of(agent)
        return reader if reader is not None and reader.accepts(path) else None
    return next((reader for reader in _readers if reader.accepts(path)), None)


def short_name(agent: str) -> str:
    """The name of an agent in the heading of a turn; its id if there is no reader."""
    reader = reader_of(agent)
    return reader.short_name if reader else agent


def label(agent: str) -> str:
    """Two letters that tell the sessions of an agent from those of others, where there is no room for its name."""
    reader = reader_of(agent)
    return reader.label if reader else agent[:2]


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
