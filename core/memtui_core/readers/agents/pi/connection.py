"""Where Pi, which has no MCP, reads extensions, skills and packages: `docs/extensions.md` of its npm package."""

from __future__ import annotations

from pathlib import Path

from memtui_core.readers.connecting import Connection, ExtensionSettings, PluginMark, SettingsPlace

_FOLDER = "PI_CODING_AGENT_DIR"
CONNECTION = Connection(
    "pi",
    extension=ExtensionSettings(
        SettingsPlace(".pi/agent/extensions/memtui.ts", {_FOLDER: "extensions/memtui.ts"}),
        ".pi/extensions/memtui.ts",
        Path(__file__).with_name("extension.ts"),
    ),
    skills=SettingsPlace(".pi/agent/skills", {_FOLDER: "skills"}),
    plugin=PluginMark(
        SettingsPlace(".pi/agent/settings.json", {_FOLDER: "settings.json"}), ("packages",), "plugins/pi"
    ),
)
