"""Where Crush reads MCP servers: https://github.com/charmbracelet/crush, its README."""

from __future__ import annotations

from memtui_core.readers.connecting import Connection, EntryPart, ServerSettings, SettingsPlace

CONNECTION = Connection(
    "crush",
    server=ServerSettings(
        SettingsPlace(
            ".config/crush/crush.json",
            {"CRUSH_GLOBAL_CONFIG": "crush.json", "XDG_CONFIG_HOME": "crush/crush.json"},
        ),
        "crush.json",
        ("mcp",),
        {"type": "stdio", "command": EntryPart.PROGRAM, "args": EntryPart.ARGUMENTS},
    ),
)
