"""Where Qwen Code reads MCP servers, hooks, skills and extensions: https://qwenlm.github.io/qwen-code-docs."""

from __future__ import annotations

from memtui_core.readers.connecting import (
    Connection,
    EntryPart,
    HookSettings,
    PluginMark,
    ServerSettings,
    SettingsPlace,
)

_HOME = "QWEN_HOME"
_SETTINGS = SettingsPlace(".qwen/settings.json", {_HOME: "settings.json"})
_EVENTS = ("UserPromptSubmit", "PreToolUse", "SubagentStart", "Stop", "PreCompact", "SessionStart", "SessionEnd")
CONNECTION = Connection(
    "qwen",
    server=ServerSettings(
        _SETTINGS,
        ".qwen/settings.json",
        ("mcpServers",),
        {"command": EntryPart.PROGRAM, "args": EntryPart.ARGUMENTS},
        comments=True,
    ),
    hooks=HookSettings(
        _SETTINGS,
        ".qwen/settings.json",
        # A hook before a tool cannot give context, one after it can.
        {event: event for event in _EVENTS} | {"PreToolUse": "PostToolUse"},
        {"PreToolUse": "read_file|edit|write_file", "SessionStart": "startup|resume|clear|compact"},
        in_milliseconds=True,
        comments=True,
    ),
    skills=SettingsPlace(".qwen/skills", {_HOME: "skills"}),
    plugin=PluginMark(
        SettingsPlace(".qwen/extensions/memtui/qwen-extension.json", {_HOME: "extensions/memtui/qwen-extension.json"})
    ),
)
