"""The entries for memtui in an agent's settings: its hooks and its MCP server."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import which
from typing import Any

from memtui.agents.hooks.hook_call import PROMPT
from memtui_core.readers.connecting import EntryPart, HookSettings, ServerSettings
from memtui_core.system.systems import command_line, words_of

SERVER = "memtui"
"""Name of the MCP server."""
_TIMEOUTS = {PROMPT: 15}
_DEFAULT_TIMEOUT = 10
"""Seconds after which the agent stops waiting: more than memtui's own timeout."""


def program() -> list[str]:
    """The command that runs this memtui from any folder: its script, or this Python with the module."""
    script = Path(sys.argv[0])
    beside_python = Path(sys.executable).with_name("memtui")
    for candidate in (script, beside_python, beside_python.with_suffix(".exe")):
        if candidate.stem == "memtui" and candidate.is_file():
            return [str(candidate.absolute())]
    on_path = which(script.name) if script.stem == "memtui" else None
    return [on_path] if on_path else [sys.executable, "-m", "memtui"]


def hook_entry(hooks: HookSettings, event: str, line: str) -> dict[str, Any]:
    """The entry in the list of an agent's event, for an event of `memtui hook` that a command line answers."""
    seconds = _TIMEOUTS.get(event, _DEFAULT_TIMEOUT)
    hook = {"type": "command", "command": line, "timeout": seconds * (1000 if hooks.in_milliseconds else 1)}
    matcher = hooks.matchers.get(event)
    return {**({"matcher": matcher} if matcher else {}), "hooks": [hook]}


def hook_entries(
    hooks: HookSettings, command: Sequence[str], data_dir: Path | None = None
) -> dict[str, dict[str, Any]]:
    """The entries of all hooks, by the agent's event; `command` runs memtui."""
    return {
        named: hook_entry(hooks, event, command_line([*command, "hook", event, *data_dir_option(data_dir)]))
        for event, named in hooks.events.items()
    }


def server_words(command: Sequence[str], data_dir: Path | None = None) -> list[str]:
    """The command of the MCP server."""
    return [*command, "mcp", *data_dir_option(data_dir)]


def server_entry(server: ServerSettings, words: Sequence[str]) -> dict[str, Any]:
    """The entry of an MCP server with a command, as an agent writes it."""
    parts: Mapping[Any, Any] = {
        EntryPart.PROGRAM: words[0],
        EntryPart.ARGUMENTS: list(words[1:]),
        EntryPart.WORDS: list(words),
    }
    return {key: parts[value] if isinstance(value, EntryPart) else value for key, value in server.entry.items()}


def is_own_hook(hook: Any, event: str) -> bool:
    """Whether a hook runs `memtui hook` for an event, by any installation, with nothing added to it."""
    line = hook.get("command") if isinstance(hook, dict) else None
    if not isinstance(line, str):
        return False
    try:
        words = words_of(line)
    except ValueError:
        return False
    arguments = _arguments(words)
    return arguments[:2] == ["hook", event] and len(arguments) in (2, 4) and arguments[2:3] in ([], ["--data-dir"])


def is_own_server(server: Any) -> bool:
    """Whether the command of an MCP server is `memtui mcp`, by any installation."""
    if not isinstance(server, dict):
        return False
    first, others = server.get("command"), server.get("args", [])
    if not isinstance(others, list):
        return False
    words = [*first, *others] if isinstance(first, list) else [first, *others]
    return all(isinstance(word, str) for word in words) and _arguments(words)[:1] == ["mcp"]


def _arguments(words: Sequence[str]) -> list[str]:
    """The arguments of a command line that runs memtui; empty for any other."""
    if words and Path(words[0]).stem == "memtui":
        return list(words[1:])
    return list(words[3:]) if list(words[1:3]) == ["-m", "memtui"] else []


def data_dir_option(data_dir: Path | None) -> list[str]:
    """The option that names a folder of an index; none for the usual one."""
    return ["--data-dir", str(data_dir.absolute())] if data_dir else []
