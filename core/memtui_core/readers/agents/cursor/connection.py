"""Where Cursor reads MCP servers: https://cursor.com/docs/context/mcp."""

from __future__ import annotations

from memtui_core.readers.connecting import Connection, EntryPart, ServerSettings, SettingsPlace

CONNECTION = Connection(
    "cursor-agent",
    server=ServerSettings(
        SettingsPlace(".cursor/mcp.json"),
        ".cursor/mcp.json",
        ("mcpServers",),
        {"command": EntryPart.PROGRAM, "args": EntryPart.ARGUMENTS},
    ),
)
