"""Where Copilot CLI reads MCP servers, hooks, skills and plugins.

https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference
"""

from __future__ import annotations

from memtui_core.readers.connecting import (
    Connection,
    EntryPart,
    HookSettings,
    PluginMark,
    ServerSettings,
    SettingsPlace,
)

_HOME = "COPILOT_HOME"
CONNECTION = Connection(
    "copilot",
    server=ServerSettings(
        SettingsPlace(".copilot/mcp-config.json", {_HOME: "mcp-config.json"}),
        ".github/mcp.json",
        ("mcpServers",),
        {"type": "local", "command": EntryPart.PROGRAM, "args": EntryPart.ARGUMENTS, "tools": ["*"]},
    ),
    hooks=HookSettings(
        SettingsPlace(".copilot/hooks/memtui.json", {_HOME: "hooks/memtui.json"}),
        ".github/hooks/memtui.json",
        # A hook after a prompt cannot give context.
        {event: event for event in ("PreToolUse", "SubagentStart", "Stop", "PreCompact", "SessionEnd")},
    ),
    skills=SettingsPlace(".copilot/skills", {_HOME: "skills"}),
    plugin=PluginMark(SettingsPlace(".copilot/settings.json", {_HOME: "settings.json"}), ("enabledPlugins",)),
)
