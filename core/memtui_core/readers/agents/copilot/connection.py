"""Where Copilot CLI reads MCP servers, skills and plugins.

https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference
"""

from __future__ import annotations

from memtui_core.readers.connecting import Connection, EntryPart, PluginMark, ServerSettings, SettingsPlace

_HOME = "COPILOT_HOME"
CONNECTION = Connection(
    "copilot",
    server=ServerSettings(
        SettingsPlace(".copilot/mcp-config.json", {_HOME: "mcp-config.json"}),
        ".github/mcp.json",
        ("mcpServers",),
        {"type": "local", "command": EntryPart.PROGRAM, "args": EntryPart.ARGUMENTS, "tools": ["*"]},
    ),
    skills=SettingsPlace(".copilot/skills", {_HOME: "skills"}),
    plugin=PluginMark(
        SettingsPlace(".copilot/installed-plugins/memtui/memtui", {_HOME: "installed-plugins/memtui/memtui"})
    ),
)
