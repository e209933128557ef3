"""Where OpenCode and Kilo read MCP servers, plugins and skills: https://opencode.ai/docs/config, https://kilo.ai/docs."""

from __future__ import annotations

from pathlib import Path

from memtui_core.readers.connecting import Connection, EntryPart, ExtensionSettings, ServerSettings, SettingsPlace

_EXTENSION = Path(__file__).with_name("extension.ts")
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
    extension=ExtensionSettings(
        SettingsPlace(
            ".config/opencode/plugins/memtui.ts",
            {"OPENCODE_CONFIG_DIR": "plugins/memtui.ts", "XDG_CONFIG_HOME": "opencode/plugins/memtui.ts"},
        ),
        # In the folder of a project it would make the agent install packages there.
        "",
        _EXTENSION,
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
    extension=ExtensionSettings(
        SettingsPlace(
            ".config/kilo/plugins/memtui.ts",
            {"KILO_CONFIG_DIR": "plugins/memtui.ts", "XDG_CONFIG_HOME": "kilo/plugins/memtui.ts"},
        ),
        "",
        _EXTENSION,
    ),
    skills=SettingsPlace(".config/kilo/skills", {"KILO_CONFIG_DIR": "skills", "XDG_CONFIG_HOME": "kilo/skills"}),
)
