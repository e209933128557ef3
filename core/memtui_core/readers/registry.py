"""The list of readers."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.added_agents import AddedAgents, BrokenAgent, added_agents
from memtui_core.system.failures import is_of_machine
from memtui_core.text.controls import stored
from memtui_core.tools.vocabulary import vocabulary

if TYPE_CHECKING:
    from memtui_core.model import Session
    from memtui_core.readers.base import Reader
    from memtui_core.readers.connecting import Connection
    from memtui_core.tools.profile import Profile


_log = logging.getLogger(__name__)


class _BuiltIn:
    """An agent whose reader is imported when it is asked for: most processes need few of them."""

    def __init__(self, agent: str, package: str, class_name: str) -> None:
        self.agent = agent
        self._package = f"memtui_core.readers.agents.{package}"
        self._class_name = class_name

    @cached_property
    def reader(self) -> Reader:
        """The reader."""
        reader: Reader = getattr(import_module(f"{self._package}.reader"), self._class_name)()
        return reader

    @property
    def profile(self) -> Profile:
        """The profile of the reader, which is not imported for it."""
        profile: Profile = import_module(f"{self._package}.profile").PROFILE
        return profile


_BUILT_IN: Final = (
    _BuiltIn("roo", "roo", "Roo"),
    _BuiltIn("cline", "cline", "Cline"),
    _BuiltIn("cursor", "cursor", "CursorAgent"),
    _BuiltIn("qwen", "qwen", "Qwen"),
    _BuiltIn("antigravity", "antigravity", "Antigravity"),
    _BuiltIn("gemini", "gemini", "Gemini"),
    _BuiltIn("iflow", "iflow", "IFlow"),
    _BuiltIn("aider", "aider", "Aider"),
    _BuiltIn("openhands", "openhands", "OpenHands"),
    _BuiltIn("droid", "droid", "Droid"),
    _BuiltIn("kimi", "kimi", "Kimi"),
    _BuiltIn("junie", "junie", "Junie"),
    _BuiltIn("copilot", "copilot", "Copilot"),
    _BuiltIn("continue", "continue_dev", "Continue"),
    _BuiltIn("augment", "augment", "Augment"),
    _BuiltIn("amp", "amp", "Amp"),
    _BuiltIn("vibe", "vibe", "Vibe"),
    _BuiltIn("openclaw", "openclaw", "OpenClaw"),
    _BuiltIn("omp", "pi", "OhMyPi"),
    _BuiltIn("pi", "pi", "Pi"),
    _BuiltIn("amazonq", "amazonq", "AmazonQ"),
    _BuiltIn("kiro", "kiro", "Kiro"),
    _BuiltIn("warp", "warp", "Warp"),
    _BuiltIn("crush", "crush", "Crush"),
    _BuiltIn("zed", "zed", "Zed"),
    _BuiltIn("goose", "goose", "Goose"),
    _BuiltIn("hermes", "hermes", "Hermes"),
    _BuiltIn("kilo", "opencode", "Kilo"),
    _BuiltIn("opencode", "opencode", "OpenCode"),
    _BuiltIn("codex", "codex", "Codex"),
    _BuiltIn("claude-ai", "chat_exports", "ClaudeAi"),
    _BuiltIn("chatgpt", "chat_exports", "ChatGpt"),
    # Accepts every JSON lines file, so it must be the last.
    _BuiltIn("claude-code", "claude_code", "ClaudeCode"),
)
"""By descending precedence."""
_GENERIC: Final = _BuiltIn("generic", "generic", "Generic")
"""The reader of formats that no file tells apart from others: it reads only what is named to be its own."""
_OWN_AGENTS: Final = {entry.agent: entry for entry in (*_BUILT_IN, _GENERIC)}
_registered: list[Reader] = []


def register(reader: Reader) -> None:
    """Add a reader to this process. If several readers accept a file, the one registered last reads it."""
    _registered.insert(0, reader)
    vocabulary.cache_clear()


def readers() -> list[Reader]:
    """The readers that recognize the transcripts of their agent, by descending precedence."""
    return [*_registered, *_added().readers, *(entry.reader for entry in _BUILT_IN)]


def has_added_readers() -> bool:
    """Whether there are readers of other packages."""
    return bool(_registered or _added().readers)


def all_readers() -> list[Reader]:
    """All readers, also the one that reads only what is named to be its own."""
    return [*readers(), _GENERIC.reader]


def broken_agents() -> Sequence[BrokenAgent]:
    """The agents of other packages that cannot be read."""
    return _added().broken


def profiles() -> Iterator[Profile]:
    """What agents call their tools: first what several of them use, last the names of agents that were added."""
    yield from (entry.profile for entry in (_GENERIC, *_BUILT_IN))
    yield from (reader.profile for reader in (*_added().readers, *_registered))


def reader_of(agent: str) -> Reader | None:
    """The reader of an agent; None if there is none."""
    registered = next((reader for reader in _registered if reader.agent == agent), None)
    if registered is not None:
        return registered
    if agent in _OWN_AGENTS:
        return _OWN_AGENTS[agent].reader
    return next((reader for reader in _added().readers if reader.agent == agent), None)


def reader_named(name: str) -> Reader | None:
    """The reader of an agent by its id or one of its names, in any case; None if there is none."""
    lower = name.casefold()
    known = reader_of(lower)
    if known is not None:
        return known
    return next((reader for reader in all_readers() if lower in (reader.short_name, reader.name.casefold())), None)


def starting_readers() -> list[Reader]:
    """The readers of the agents that can be started with a prompt, in the order of their registration."""
    return [reader for reader in reversed(readers()) if reader.start_command("") is not None]


def connections() -> dict[str, Connection]:
    """What is known of the settings of the agents to which memtui can connect, by their ids, the best known first.

    A reader of another package need not know any.
    """
    from memtui_core.readers.agent import declared

    named = {reader.agent: getattr(reader, "connection", "") for reader in reversed(readers())}
    return {agent: declared(name) for agent, name in named.items() if name}


def reader_for(path: Path, agent: str | None = None) -> Reader | None:
    """The reader that accepts a file, of all readers or of one agent; None if the file belongs to no transcript."""
    if agent is not None:
        reader = reader_of(agent)
        return reader if reader is not None and _accepts(reader, path) else None
    return next((reader for reader in readers() if _accepts(reader, path)), None)


def _accepts(reader: Reader, path: Path) -> bool:
    """Whether a reader accepts a file; that of another package may raise, which costs its own files only."""
    try:
        return reader.accepts(path)
    except Exception as error:
        if is_of_machine(error):
            raise
        _log.warning("The reader of %s failed on %s: %s", reader.agent, path, error)
        return False


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
    return any(folder in path for reader in readers() for folder in reader.own_folders)


def resume_command(session: Session) -> list[str] | None:
    """The command that resumes a session, to be run in the session's folder; None if the session cannot be resumed.

    The id comes from a transcript: an id that the agent would parse as an option is refused.
    """
    reader, session_id = reader_of(session.agent), stored(session.session_id)
    if reader is None or session.parent is not None or session.only_prompts or session_id.startswith("-"):
        return None
    return reader.resume_command(session_id)


def _added() -> AddedAgents:
    return added_agents(frozenset(_OWN_AGENTS))
