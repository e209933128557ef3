"""Where Codex reads MCP servers, hooks, skills and plugins: https://developers.openai.com/codex/config-reference."""

from __future__ import annotations

from memtui_core.readers.connecting import (
    Connection,
    EntryPart,
    HookSettings,
    PluginMark,
    ServerSettings,
    SettingsPlace,
)

_HOME = "CODEX_HOME"
_CONFIG = SettingsPlace(".codex/config.toml", {_HOME: "config.toml"})
# It warns of a hook on the end of a session that may take more than 3 seconds; the end of the last turn does as well.
_EVENTS = ("UserPromptSubmit", "PreToolUse", "SubagentStart", "Stop", "PreCompact", "SessionStart")
CONNECTION = Connection(
    "codex",
    server=ServerSettings(
        _CONFIG,
        ".codex/config.toml",
        ("mcp_servers",),
        {"command": EntryPart.PROGRAM, "args": EntryPart.ARGUMENTS},
    ),
    hooks=HookSettings(
        SettingsPlace(".codex/hooks.json", {_HOME: "hooks.json"}),
        ".codex/hooks.json",
        {event: event for event in _EVENTS},
        # Files are read by shell commands; the tool that changes them is called apply_patch.
        {"PreToolUse": "apply_patch", "SessionStart": "startup|resume|clear|compact"},
        note="Codex runs new hooks only after you have trusted them: /hooks in a session.",
    ),
    skills=SettingsPlace(".codex/skills", {_HOME: "skills"}),
    plugin=PluginMark(_CONFIG, ("plugins",)),
)
