"""Where the program of an agent reads what connects it to memtui: MCP servers, hooks, skills and installed plugins.

An agent's package declares it in `connection.py`, which its reader names as `connection`: most processes never need it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from memtui_core.system.locations import folder_of, home_in

_REMEMBERED = Path(__file__).with_name("remembered.ts")
"""The function with which an extension calls `memtui hook`,"""
_DECLARED = "declare function remembered("
"""and what the line of an extension begins with in whose place it comes."""


class EntryPart(Enum):
    """What stands for a part of the server's command in the entry of an agent."""

    PROGRAM = "the program"
    ARGUMENTS = "the list of its arguments"
    WORDS = "the program and its arguments, as one list"


@dataclass(frozen=True, slots=True)
class SettingsPlace:
    """A file or folder of an agent: below the folder that a variable names, or else below the home folder."""

    below_home: str
    variables: Mapping[str, str] = field(default_factory=dict)
    """Names of variables, each with the path below the folder that it names; the first one that is set counts."""
    other_names: Sequence[str] = ()
    """Names beside that of the file, which the agent reads, too: an existing one is used."""

    def path(self, environ: Mapping[str, str]) -> Path:
        """The path in an environment; it need not exist."""
        path = self._first(environ)
        is_usual = path.name == Path(self.below_home).name
        others = [path.with_name(name) for name in self.other_names if is_usual]
        return next((other for other in others if other.exists() and not path.exists()), path)

    def _first(self, environ: Mapping[str, str]) -> Path:
        for variable, below in self.variables.items():
            if (folder := folder_of(environ.get(variable))) is not None:
                return folder / below
        return home_in(environ) / self.below_home


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings file with the MCP servers; TOML if it is called so, else JSON."""

    place: SettingsPlace
    project: str
    """The file of a project, below its folder; empty if there is none."""
    names: Sequence[str]
    """The keys of the table of servers, the outermost first."""
    entry: Mapping[str, Any]
    """The fields of a server, with a `EntryPart` for each part of its command."""
    comments: bool = False
    """Whether the agent reads JSON with comments and with commas before closing brackets."""


@dataclass(frozen=True, slots=True)
class HookSettings:
    """The settings file with the hooks, in JSON: `hooks`, a list of groups by event, in each group a list of hooks."""

    place: SettingsPlace
    project: str
    """The file of a project, below its folder; empty if there is none."""
    events: Mapping[str, str]
    """What memtui does, as the event of `memtui hook`, with the agent's event that it is done on."""
    matchers: Mapping[str, str] = field(default_factory=dict)
    """What an event is narrowed to, by the event of `memtui hook`."""
    in_milliseconds: bool = False
    """Whether the agent counts timeouts in milliseconds, and not in seconds."""
    comments: bool = False
    """Whether the agent reads JSON with comments and with commas before closing brackets."""
    note: str = ""
    """What the user has to do before the hooks run; empty if they run at once."""
    since: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The first version of the program that takes an event, by the event of `memtui hook`, where an older one that
    meets the event refuses all settings of the file."""


@dataclass(frozen=True, slots=True)
class ExtensionSettings:
    """A file of code that an agent loads: it calls memtui where the agent has no settings for that."""

    place: SettingsPlace
    project: str
    """The file of a project, below its folder; empty if there is none."""
    source: Path
    """The code, with lines that `text` fills in: one for each of two lists of words, and one for `remembered`."""

    def text(self, command: Sequence[str], options: Sequence[str]) -> str:
        """The code that runs memtui by a command, with options for every call."""
        lists = {"COMMAND": command, "OPTIONS": options}
        lines = self.source.read_text("utf-8").splitlines(keepends=True)
        for name, words in lists.items():
            filled = f"const {name}: string[] = {json.dumps(list(words), ensure_ascii=False)};\n"
            lines = [filled if line.startswith(f"const {name}: string[] = ") else line for line in lines]
        return "".join(_REMEMBERED.read_text("utf-8") if line.startswith(_DECLARED) else line for line in lines)


@dataclass(frozen=True, slots=True)
class PluginMark:
    """How an installed plugin of memtui is recognized: by a file, or by a key or an item in a settings file."""

    place: SettingsPlace
    names: Sequence[str] = ()
    """The keys of the table or list with the plugins; empty if the file itself is the mark."""
    holds: str = "memtui@"
    """What the key or item of the plugin begins with, or a path in an item ends with."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Everything that connects an agent to memtui."""

    program: str
    """The command of the agent."""
    server: ServerSettings | None = None
    """None if the agent has no MCP client."""
    hooks: HookSettings | None = None
    """None if the agent has no hooks that memtui can answer."""
    skills: SettingsPlace | None = None
    """The folder of skills into which memtui's is written; None if the agent reads none, or hooks do its work."""
    extension: ExtensionSettings | None = None
    """What calls hooks, and starts the server, for an agent without settings for these."""
    plugin: PluginMark | None = None
    """How an installed plugin is recognized; None if memtui has no plugin for the agent."""
