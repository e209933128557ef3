"""What connecting an agent to memtui, or the opposite, changes in the files of the agent, and what is connected now."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from shutil import which
from typing import Any, NamedTuple

from memtui.agents.connecting import json_settings, toml_settings
from memtui.agents.connecting.change import SettingsChange, SettingsUnusable, Uneditable, read
from memtui.agents.connecting.entries import (
    SERVER,
    data_dir_option,
    hook_entries,
    is_own_hook,
    is_own_server,
    server_entry,
    server_words,
)
from memtui.agents.connecting.program_version import program_version
from memtui.agents.connecting.skill import NAME, SKILL
from memtui.agents.connecting.undo import UndoLog
from memtui_core.readers.connecting import Connection, ExtensionSettings, HookSettings, ServerSettings
from memtui_core.system.locations import home_in

Edit = Callable[[str, bool], str]
"""A text of settings with memtui's entries, or without them for False. Raises Uneditable."""
CONNECTED = "yes"
NO_SUCH_PART = "–"
_TOML = ".toml"
_CALLS = re.compile(r"^const (?:COMMAND|OPTIONS): .*$", re.MULTILINE)
"""The lines of an extension by which two installations differ."""


class Parts(NamedTuple):
    """What of an agent is connected, in a word or two: empty if it is not, NO_SUCH_PART if the agent has none."""

    tools: str
    hooks: str
    skill: str
    plugin: str


@dataclass(frozen=True, slots=True)
class AgentFiles:
    """The files of one agent, of the user or of a project, and the command by which it calls memtui."""

    agent: str
    """Its id."""
    name: str
    """Its name in a sentence."""
    connection: Connection
    command: Sequence[str]
    data_dir: Path | None = None
    project: Path | None = None
    """The folder of a project; None for the settings of the user."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def changes(self, log: UndoLog, *, connected: bool) -> list[SettingsChange]:
        """The changes that connect the agent or undo that, without empty ones. Raises SettingsUnusable."""
        edits: dict[Path, list[Edit]] = {}
        for path, edit in self._edits(self.refused_events() if connected else {}):
            edits.setdefault(path, []).append(edit)
        changes = [_edited(path, of_file, log, connected=connected) for path, of_file in edits.items()]
        changes += [_whole(path, text, log, own=own, connected=connected) for path, text, own in self._own_files()]
        return [change for change in changes if not change.is_empty]

    def is_found(self) -> bool:
        """Whether the agent seems to be used on this machine: its program or its settings are there."""
        if which(self.connection.program, path=self.environ.get("PATH")):
            return True
        home, server, hooks = home_in(self.environ), self.connection.server, self.connection.hooks
        places = (server and server.place, hooks and hooks.place, self.connection.skills)
        paths = [place.path(self.environ) for place in places if place]
        return any(path.exists() or (path.parent != home and path.parent.is_dir()) for path in paths)

    def has_plugin(self) -> bool:
        """Whether memtui's plugin for the agent is installed and not switched off."""
        mark = self.connection.plugin
        if mark is None:
            return False
        path = mark.place.path(self.environ)
        if not mark.names:
            return path.exists()
        value: Any = _value(path)
        for name in mark.names:
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, list):
            sources = [item.get("source") if isinstance(item, dict) else item for item in value]
            return any(isinstance(source, str) and source.rstrip("/\\").endswith(mark.holds) for source in sources)
        return isinstance(value, dict) and any(
            key.startswith(mark.holds) and other is not False and not _is_off(other) for key, other in value.items()
        )

    def is_connected(self) -> bool:
        """Whether settings name memtui's server or hooks."""
        return any(part not in ("", NO_SUCH_PART) for part in (self._tools(), self._hooks()))

    def parts(self) -> Parts:
        """What is connected now."""
        return Parts(self._tools(), self._hooks(), self._skill(), self._plugin())

    def version(self) -> tuple[int, ...] | None:
        """The version of the agent's program; None if it is not on the path, or names none."""
        path = which(self.connection.program, path=self.environ.get("PATH"))
        return program_version(path) if path is not None else None

    def refused_events(self) -> Mapping[str, tuple[int, ...]]:
        """The events for which the program on this machine is too old, with the first version that takes them."""
        hooks = self.connection.hooks
        if hooks is None or not hooks.since or (version := self.version()) is None:
            return {}
        return {event: first for event, first in hooks.since.items() if version < first}

    def _edits(self, refused: Collection[str]) -> Iterator[tuple[Path, Edit]]:
        """What is done to each settings file, without hooks on `refused` events."""
        server, hooks = self.connection.server, self.connection.hooks
        if hooks is not None:
            yield self._path(hooks), partial(self._with_hooks, hooks, refused)
        if server is not None:
            yield self._path(server), partial(self._with_server, server)

    def _with_hooks(self, hooks: HookSettings, refused: Collection[str], text: str, connected: bool) -> str:
        json_settings.parse(text, comments=hooks.comments)
        taken = replace(hooks, events={event: named for event, named in hooks.events.items() if event not in refused})
        entries = hook_entries(taken, self.command, self.data_dir) if connected else {}
        return json_settings.with_hooks(text, entries, hooks.events)

    def _with_server(self, server: ServerSettings, text: str, connected: bool) -> str:
        entry = server_entry(server, server_words(self.command, self.data_dir)) if connected else None
        if self._path(server).suffix == _TOML:
            return toml_settings.with_server(text, server.names, entry)
        json_settings.parse(text, comments=server.comments)
        return json_settings.with_server(text, server.names, entry)

    def _own_files(self) -> Iterator[tuple[Path, str, bool]]:
        """The files that memtui writes as a whole, each with its text, and whether there is one of memtui."""
        extension = self._available_extension()
        if extension is not None:
            path = self._path(extension)
            present = _decoded(path)
            own = _CALLS.sub("", present) == _CALLS.sub("", extension.text((), ()))
            yield path, extension.text(self.command, data_dir_option(self.data_dir)), own
        if self.connection.skills is not None and self.project is None:
            path = self.connection.skills.path(self.environ) / NAME / "SKILL.md"
            yield path, SKILL, _decoded(path) == SKILL

    def _path(self, settings: ServerSettings | HookSettings | ExtensionSettings) -> Path:
        return settings.place.path(self.environ) if self.project is None else self.project / settings.project

    def _tools(self) -> str:
        server = self.connection.server
        if server is None:
            return self._extension()
        value: Any = _value(self._path(server))
        for name in (*server.names, SERVER):
            value = value.get(name) if isinstance(value, dict) else None
        if value is None:
            return ""
        if not is_own_server(value):
            return "another server"
        first = value["command"][0] if isinstance(value["command"], list) else value["command"]
        return CONNECTED if which(first, path=self.environ.get("PATH")) else f"{first} is missing"

    def _hooks(self) -> str:
        hooks = self.connection.hooks
        if hooks is None:
            return self._extension()
        value = _value(self._path(hooks)).get("hooks")
        found = 0
        for event, named in hooks.events.items():
            groups = value.get(named) if isinstance(value, dict) else None
            listed = [group.get("hooks") for group in groups or () if isinstance(group, dict)]
            found += any(is_own_hook(hook, event) for group in listed if isinstance(group, list) for hook in group)
        return CONNECTED if found == len(hooks.events) else f"{found} of {len(hooks.events)}" if found else ""

    def _extension(self) -> str:
        extension = self._available_extension()
        if extension is None:
            return NO_SUCH_PART
        return CONNECTED if self._path(extension).is_file() else ""

    def _available_extension(self) -> ExtensionSettings | None:
        """The extension, if there may be one in the project, or for the user."""
        extension = self.connection.extension
        return extension if extension and (self.project is None or extension.project) else None

    def _skill(self) -> str:
        if self.connection.skills is None or self.project is not None:
            return NO_SUCH_PART
        path = self.connection.skills.path(self.environ) / NAME / "SKILL.md"
        return CONNECTED if path.is_file() else ""

    def _plugin(self) -> str:
        if self.connection.plugin is None:
            return NO_SUCH_PART
        return "installed" if self.has_plugin() else ""


def _edited(path: Path, edits: Sequence[Edit], log: UndoLog, *, connected: bool) -> SettingsChange:
    """The change of a settings file; what was there before is restored exactly, if nothing else has changed since."""
    before = read(path)
    if not connected:
        known, original = log.original(path, before)
        if known and _applied(path, original, edits, connected=False) == original:
            return SettingsChange(path, before, original)
    return SettingsChange(path, before, _applied(path, before, edits, connected=connected))


def _applied(path: Path, before: bytes | None, edits: Sequence[Edit], *, connected: bool) -> bytes | None:
    """The content after edits. A new file gets a final line end, and none is created for an empty object."""
    try:
        text = new = (before or b"").decode()
        for edit in edits:
            new = edit(new, connected)
    except UnicodeDecodeError as error:
        raise SettingsUnusable(f"{path} is not UTF-8 and is left alone: {error}") from error
    except Uneditable as error:
        raise SettingsUnusable(f"{path}{error}") from error
    if new == text or (not text.strip() and new in ("", "{}")):
        return before
    return (new if text.strip() or new.endswith("\n") else f"{new}\n").encode()


def _whole(path: Path, text: str, log: UndoLog, *, own: bool, connected: bool) -> SettingsChange:
    """The change of a file that is memtui's alone; one that somebody else has changed or made stays."""
    before = read(path)
    if before is not None and not own and not log.wrote(path, before):
        return SettingsChange(path, before, before)
    return SettingsChange(path, before, text.encode() if connected else None)


def _value(path: Path) -> dict[str, Any]:
    """The settings in a file; nothing if it is missing or cannot be understood."""
    try:
        text = (read(path) or b"").decode()
        return toml_settings.parse(text) if path.suffix == _TOML else json_settings.parse(text, comments=True)
    except (SettingsUnusable, ValueError):
        return {}


def _decoded(path: Path) -> str:
    return (read(path) or b"").decode("utf-8", "replace")


def _is_off(plugin: Any) -> bool:
    return isinstance(plugin, dict) and plugin.get("enabled") is False
