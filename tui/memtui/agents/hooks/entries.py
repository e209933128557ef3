"""The entries for memtui in an agent's settings: its hooks and its MCP server."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import Any

from memtui.agents.hooks.hook_call import AFTER_COMPACTION, EVENTS, FILE_TOOLS, PROMPT, START, TOOL
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


def hook_entry(event: str, command: Sequence[str], data_dir: Path | None = None) -> dict[str, Any]:
    """The entry in the list of hooks of an event; `command` runs memtui."""
    words = [*command, "hook", event, *_data_dir_option(data_dir)]
    hook = {"type": "command", "command": command_line(words), "timeout": _TIMEOUTS.get(event, _DEFAULT_TIMEOUT)}
    matcher = {TOOL: "|".join(FILE_TOOLS), START: AFTER_COMPACTION}.get(event)
    return {**({"matcher": matcher} if matcher else {}), "hooks": [hook]}


def hook_entries(command: Sequence[str], data_dir: Path | None = None) -> dict[str, dict[str, Any]]:
    """The entry of every event, by event."""
    return {event: hook_entry(event, command, data_dir) for event in EVENTS}


def server_entry(command: Sequence[str], data_dir: Path | None = None) -> dict[str, Any]:
    """The entry of the MCP server."""
    return {"command": command[0], "args": [*command[1:], "mcp", *_data_dir_option(data_dir)]}


def is_own_hook(hook: Any, event: str) -> bool:
    """Whether a hook of an event was written by `hook_entry`, of any installation, with nothing added to it."""
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
    """Whether an MCP server was written by `server_entry`."""
    if not isinstance(server, dict) or not isinstance(server.get("args"), list):
        return False
    words = [server.get("command"), *server["args"]]
    return all(isinstance(word, str) for word in words) and _arguments(words)[:1] == ["mcp"]


def _arguments(words: Sequence[str]) -> list[str]:
    """The arguments of a command line that runs memtui; empty for any other."""
    if words and Path(words[0]).stem == "memtui":
        return list(words[1:])
    return list(words[3:]) if list(words[1:3]) == ["-m", "memtui"] else []


def _data_dir_option(data_dir: Path | None) -> list[str]:
    return ["--data-dir", str(data_dir.absolute())] if data_dir else []
