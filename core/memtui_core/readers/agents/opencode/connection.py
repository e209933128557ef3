"""Where OpenCode and Kilo read MCP servers and skills: https://opencode.ai/docs/config, https://kilo.ai/docs."""

from __future__ import annotations

from memtui_core.readers.connecting import Connection, EntryPart, ServerSettings, SettingsPlace

_ENTRY = {"type": "local", "command": EntryPart.WORDS, "enabled": True}
OPENCODE = Connection(
    "opencode",
    server=ServerSettings(
        SettingsPlace(
            ".config/opencode/opencode.json",
            {
                "OPENCODE_CONFIG": "",
                "OPENCODE_CONFIG_DIR": "opencode.json",
                "XDG_CONFIG_HOME": "opencode/opencode.json",
            },
            ("opencode.jsonc", "config.json"),
        ),
        "opencode.json",
        ("mcp",),
        _ENTRY,
        comments=True,
    ),
    skills=SettingsPlace(
        ".config/opencode/skills", {"OPENCODE_CONFIG_DIR": "skills", "XDG_CONFIG_HOME": "opencode/skills"}
    ),
)
KILO = Connection(
    "kilo",
    server=ServerSettings(
        SettingsPlace(
            ".config/kilo/kilo.json",
            {"KILO_CONFIG": "", "KILO_CONFIG_DIR": "kilo.json", "XDG_CONFIG_HOME": "kilo/kilo.json"},
            ("kilo.jsonc", "opencode.json", "opencode.jsonc", "config.json"),
        ),
        "kilo.json",
        ("mcp",),
        _ENTRY,
        comments=True,
    ),
)
