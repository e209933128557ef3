"""The entries that switch memtui on in an agent's settings, and how they are told from all others."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from subprocess import list2cmdline
from typing import Any

from memtui.hooks.hook_call import EVENTS, FILE_TOOLS, PROMPT, TOOL

SERVER = "memtui"
"""Name of the server of tools."""
_TIMEOUTS = {PROMPT: 15}
_TIMEOUT = 10
"""Seconds after which the agent stops waiting: more than memtui itself allows."""


def program() -> list[str]:
    """The words that run this memtui from any folder: its script, else this Python with the module."""
    script = Path(sys.argv[0])
    beside = Path(sys.executable).with_name("memtui")
    for found in (script, beside, beside.with_suffix(".exe")):
        if found.stem == "memtui" and found.is_file():
            return [str(found.absolute())]
    called = which(script.name) if script.stem == "memtui" else None
    return [called] if called else [sys.executable, "-m", "memtui"]


def hook_entry(event: str, words: Sequence[str], data_dir: Path | None = None) -> dict[str, Any]:
    """What stands in the list of an event."""
    given = [*words, "hook", event, *_folder(data_dir)]
    command = list2cmdline(given) if sys.platform == "win32" else shlex.join(given)
    hook = {"type": "command", "command": command, "timeout": _TIMEOUTS.get(event, _TIMEOUT)}
    return {**({"matcher": "|".join(FILE_TOOLS)} if event == TOOL else {}), "hooks": [hook]}


def hook_entries(words: Sequence[str], data_dir: Path | None = None) -> dict[str, dict[str, Any]]:
    """What stands in the settings, by event."""
    return {event: hook_entry(event, words, data_dir) for event in EVENTS}


def server_entry(words: Sequence[str], data_dir: Path | None = None) -> dict[str, Any]:
    """The server of tools."""
    return {"command": words[0], "args": [*words[1:], "mcp", *_folder(data_dir)]}


def is_own_hook(hook: Any, event: str) -> bool:
    """Whether a hook of an event is one that `hook_entry` wrote, for whichever memtui, with nothing added to it."""
    command = hook.get("command") if isinstance(hook, dict) else None
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command.replace("\\", "/") if sys.platform == "win32" else command)
    except ValueError:
        return False
    rest = _after_program(words)
    return rest[:2] == ["hook", event] and len(rest) in (2, 4) and rest[2:3] in ([], ["--data-dir"])


def is_own_server(server: Any) -> bool:
    """Whether a server is one that `server_entry` wrote."""
    if not isinstance(server, dict) or not isinstance(server.get("args"), list):
        return False
    words = [server.get("command"), *server["args"]]
    return all(isinstance(word, str) for word in words) and _after_program(words)[:1] == ["mcp"]


def _after_program(words: Sequence[str]) -> list[str]:
    """What follows the words that run memtui; nothing when they do not."""
    if words and Path(words[0]).stem == "memtui":
        return list(words[1:])
    return list(words[3:]) if list(words[1:3]) == ["-m", "memtui"] else []


def _folder(data_dir: Path | None) -> list[str]:
    return ["--data-dir", str(data_dir.absolute())] if data_dir else []
