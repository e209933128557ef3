"""Where Gemini CLI reads MCP servers, hooks, skills and extensions: https://geminicli.com/docs/reference/configuration."""

from __future__ import annotations

from memtui_core.readers.connecting import (
    Connection,
    EntryPart,
    HookSettings,
    PluginMark,
    ServerSettings,
    SettingsPlace,
)

_HOME = "GEMINI_CLI_HOME"
_SETTINGS = SettingsPlace(".gemini/settings.json", {_HOME: ".gemini/settings.json"})
CONNECTION = Connection(
    "gemini",
    server=ServerSettings(
        _SETTINGS,
        ".gemini/settings.json",
        ("mcpServers",),
        {"command": EntryPart.PROGRAM, "args": EntryPart.ARGUMENTS},
        comments=True,
    ),
    hooks=HookSettings(
        _SETTINGS,
        ".gemini/settings.json",
        # A hook before a tool cannot give context, one after it can.
        {
            "UserPromptSubmit": "BeforeAgent",
            "PreToolUse": "AfterTool",
            "Stop": "AfterAgent",
            "PreCompact": "PreCompress",
            "SessionEnd": "SessionEnd",
        },
        {"PreToolUse": "read_file|replace|write_file"},
        in_milliseconds=True,
        comments=True,
    ),
    skills=SettingsPlace(".gemini/skills", {_HOME: ".gemini/skills"}),
    plugin=PluginMark(
        SettingsPlace(
            ".gemini/extensions/memtui/gemini-extension.json",
            {_HOME: ".gemini/extensions/memtui/gemini-extension.json"},
        )
    ),
)
