"""Where Claude Code reads MCP servers, hooks and plugins: https://code.claude.com/docs/en/settings."""

from __future__ import annotations

from memtui_core.readers.connecting import (
    Connection,
    EntryPart,
    HookSettings,
    PluginMark,
    ServerSettings,
    SettingsPlace,
)

_SETTINGS = SettingsPlace(".claude/settings.json", {"CLAUDE_CONFIG_DIR": "settings.json"})
_EVENTS = (
    *("UserPromptSubmit", "PreToolUse", "PostToolUseFailure", "SubagentStart", "Stop", "PreCompact"),
    *("SessionStart", "SessionEnd"),
)
CONNECTION = Connection(
    "claude",
    server=ServerSettings(
        SettingsPlace(".claude.json", {"CLAUDE_CONFIG_DIR": ".claude.json"}),
        ".mcp.json",
        ("mcpServers",),
        {"command": EntryPart.PROGRAM, "args": EntryPart.ARGUMENTS},
    ),
    hooks=HookSettings(
        _SETTINGS,
        ".claude/settings.json",
        {event: event for event in _EVENTS},
        # The tools that open one file, and the shell; why a session starts.
        {
            "PreToolUse": "Read|Edit|Write|NotebookEdit",
            "PostToolUseFailure": "Bash",
            "SessionStart": "startup|resume|clear|compact",
        },
        # From this version on it ignores events that it does not know, and it knows this one.
        since={"PostToolUseFailure": (2, 1, 101)},
    ),
    plugin=PluginMark(_SETTINGS, ("enabledPlugins",)),
)
