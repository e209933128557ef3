"""Write the plugins of memtui for agents: folders in `plugins/`, and the marketplaces that name them.

Everything is declared once, in the package: the skill, the server and the hooks of each agent (`connection.py` of its
reader). A plugin does not know where memtui is installed, so its commands look for it on the PATH.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memtui.agents.connecting.entries import SERVER, hook_entry, server_entry
from memtui.agents.connecting.skill import NAME, SKILL
from memtui_core.readers.connecting import Connection
from memtui_core.readers.registry import connections

ROOT = Path(__file__).parents[1]
_VERSION = "0.1.0"
"""Of the plugins, not of memtui: raise it when they change, since agents fetch only another version anew."""
_ABOUT = "The memory of your coding agents: finds and cites what earlier sessions of any agent did, decided and tried."
_MISSING = (
    "memtui is not installed, or not on the PATH. Install it with: pipx install memtui, or: uv tool install memtui."
    " Then start a new session."
)
_FIND = 'PATH="$PATH:$HOME/.local/bin"; command -v memtui >/dev/null'
"""Finds memtui also where pipx and uv put it, if an agent was not started from a shell."""
HOOK = f"{_FIND} || exit 0; exec memtui hook "
"""The command line of a hook, before its event: silent, and a success, if memtui is not installed."""
SERVE = (
    f"{_FIND} && exec memtui mcp; "
    f"memtui_says='{_MISSING}'; "
    'echo "$memtui_says" >&2; '
    "read -r memtui_line; "
    """memtui_id=$(printf %s "$memtui_line" | sed -n 's/.*"id" *: *\\([0-9][0-9]*\\).*/\\1/p'); """
    """printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"%s"}}\\n' "$memtui_id" "$memtui_says"; """
    "exit 1"
)
"""The script of the server. Without memtui it answers the first request with an error that says what to do."""


def plugin_files() -> dict[str, str]:
    """The text of every file, by its path in the repository."""
    known = connections()
    about = {"name": NAME, "version": _VERSION, "description": _ABOUT}
    full = {**about, "author": {"name": NAME}, "license": "Apache-2.0", "keywords": ["memory", "sessions", "search"]}
    claude, codex, gemini = known["claude-code"], known["codex"], known["gemini"]
    qwen, copilot, opencode, pi = known["qwen"], known["copilot"], known["opencode"], known["pi"]
    files: dict[str, Any] = {
        ".claude-plugin/marketplace.json": {
            "name": NAME,
            "description": _ABOUT,
            "owner": {"name": NAME},
            "plugins": [{"name": NAME, "source": "./plugins/claude-code", "description": _ABOUT}],
        },
        "plugins/claude-code/.claude-plugin/plugin.json": full,
        "plugins/claude-code/.mcp.json": _servers(claude),
        "plugins/claude-code/hooks/hooks.json": _hooks(claude),
        ".agents/plugins/marketplace.json": {
            "name": NAME,
            "interface": {"displayName": NAME},
            "plugins": [
                {
                    "name": NAME,
                    "source": {"source": "local", "path": "./plugins/codex"},
                    "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                    "category": "Productivity",
                }
            ],
        },
        "plugins/codex/.codex-plugin/plugin.json": {
            **full,
            "skills": "./skills/",
            "mcpServers": "./.mcp.json",
            "hooks": "./hooks/hooks.json",
            "interface": {
                "displayName": NAME,
                "shortDescription": "Search and cite earlier sessions of any agent",
                "category": "Productivity",
            },
        },
        "plugins/codex/.mcp.json": {"mcpServers": _servers(codex)["mcp_servers"]},
        "plugins/codex/hooks/hooks.json": _hooks(codex),
        "plugins/gemini/gemini-extension.json": {**about, **_servers(gemini)},
        "plugins/gemini/hooks/hooks.json": _hooks(gemini),
        "plugins/qwen/qwen-extension.json": {**about, **_servers(qwen), **_hooks(qwen)},
        ".github/plugin/marketplace.json": {
            "name": NAME,
            "owner": {"name": NAME},
            "plugins": [{"name": NAME, "source": "./plugins/copilot", "description": _ABOUT, "version": _VERSION}],
        },
        "plugins/copilot/plugin.json": {
            **full,
            "skills": "skills/",
            "mcpServers": ".mcp.json",
            "hooks": "hooks/hooks.json",
        },
        "plugins/copilot/hooks/hooks.json": _hooks(copilot),
        # Without a folder this agent starts it in that of the plugin, which is no project.
        "plugins/copilot/.mcp.json": _servers(copilot, cwd="."),
        "plugins/opencode/opencode.json": {"$schema": "https://opencode.ai/config.json", **_servers(opencode)},
        "plugins/pi/package.json": {
            **about,
            "license": "Apache-2.0",
            "keywords": ["pi-package"],
            "pi": {"extensions": ["./extensions"], "skills": ["./skills"]},
        },
        "plugins/pi/extensions/memtui.ts": _extension(pi),
        "plugins/opencode/plugins/memtui.ts": _extension(opencode),
    }
    folders = ("claude-code", "codex", "gemini", "qwen", "copilot", "opencode", "pi")
    files |= {f"plugins/{folder}/skills/{NAME}/SKILL.md": SKILL for folder in folders}
    return {
        path: content if isinstance(content, str) else json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        for path, content in files.items()
    }


def _servers(connection: Connection, **fields: str) -> dict[str, Any]:
    """The server where the agent's settings have it, with more fields."""
    assert connection.server is not None
    value: dict[str, Any] = {SERVER: server_entry(connection.server, ["sh", "-c", SERVE]) | fields}
    for name in reversed(connection.server.names):
        value = {name: value}
    return value


def _extension(connection: Connection) -> str:
    """The code that calls the memtui on the PATH."""
    assert connection.extension is not None
    return connection.extension.text(["memtui"], [])


def _hooks(connection: Connection) -> Mapping[str, Any]:
    """The hooks as in the agent's settings."""
    hooks = connection.hooks
    assert hooks is not None
    return {"hooks": {named: [hook_entry(hooks, event, HOOK + event)] for event, named in hooks.events.items()}}


def main() -> None:
    """Write the files."""
    for path, text in plugin_files().items():
        file = ROOT / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
