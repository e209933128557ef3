"""The families of tools, and the names of the arguments with the path, the command and the texts.

The only table of tool names. It contains those of Claude Code (2.0 to 2.1, and older names), Codex, OpenCode, Gemini
CLI, Copilot CLI, Pi, Goose, Zed, Crush and Kiro; names are compared in lower case. It imports nothing heavy, because
hooks load it at startup.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

Family = Literal["read", "edit", "write", "shell", "search", "web", "task", "plan", "other"]
"""read and write: one file; edit: parts of files; search: files by name or content; task: hands work to a subagent;
plan: keeps the agent's own list of things to do."""

FAMILIES: Mapping[str, Family] = {
    **dict.fromkeys(("read", "read_file", "view", "notebookread", "cat", "fs_read"), "read"),
    **dict.fromkeys(
        ("edit", "multiedit", "notebookedit", "replace", "str_replace", "edit_file", "apply_patch", "patch"),
        "edit",
    ),
    **dict.fromkeys(("developer__text_editor", "text_editor", "fs_write", "str_replace_editor"), "edit"),
    **dict.fromkeys(("write", "write_file", "create", "create_file"), "write"),
    **dict.fromkeys(
        ("bash", "shell", "exec_command", "run_shell_command", "local_shell", "powershell"),
        "shell",
    ),
    **dict.fromkeys(("developer__shell", "terminal", "execute_bash", "execute_cmd"), "shell"),
    **dict.fromkeys(("grep", "search_file_content", "rg", "search", "codesearch"), "search"),
    **dict.fromkeys(("glob", "list", "ls", "list_directory", "find_path", "sourcegraph"), "search"),
    **dict.fromkeys(
        ("webfetch", "websearch", "web_fetch", "google_web_search", "web_search", "web_search_call"),
        "web",
    ),
    **dict.fromkeys(("fetch", "agentic_fetch", "download"), "web"),
    **dict.fromkeys(("task", "agent", "spawn_agent", "subagent", "use_subagent", "delegate"), "task"),
    **dict.fromkeys(("todowrite", "todoread", "update_plan", "write_todos"), "plan"),
    **dict.fromkeys(("todos", "todo_list", "todo_write", "todo__todo_write"), "plan"),
    **dict.fromkeys(("taskcreate", "taskupdate", "tasklist", "taskget"), "plan"),
}
EDITORS = frozenset({"developer__text_editor", "text_editor", "fs_write", "str_replace_editor"})
"""Tools that read, edit or write a file, depending on the argument `command`."""
LISTINGS = frozenset({"glob", "list", "ls", "list_directory", "find_path"})
"""Searches that return names of files; the others return lines."""
SHELLS = frozenset(name for name, family in FAMILIES.items() if family == "shell")

PATHS = ("file_path", "filePath", "notebook_path", "path", "absolute_path", "relative_path", "filename")
"""Arguments that name a file or folder; the first one present counts."""
COMMANDS = ("command", "cmd")
OLD_TEXTS = ("old_string", "oldString", "old_str", "old_text", "oldText")
NEW_TEXTS = ("new_string", "newString", "new_str", "new_text", "newText")
CELLS = ("new_source",)
CONTENTS = ("content", "file_text", "contents")
PATCHES = ("patchText", "input", "patch")
SUBJECTS = ("subject", "title", "description", "pattern", "url", "query", "skill", "prompt", "name")
"""Arguments that describe the purpose of a call without path and command."""

_EDITOR_COMMANDS: Mapping[str, Family] = {"view": "read", "create": "write", "write": "write"}
_CHANGES = re.compile(r"edit|write|replace|insert|patch|delete|rename|move")


def family_of(name: str) -> Family:
    """The family of a tool by its name, ignoring case."""
    return FAMILIES.get(name.lower(), "other")


def may_edit(name: str) -> bool:
    """Whether a tool can change files, by its name."""
    family = family_of(name)
    return family in {"edit", "write", "shell"} or (family == "other" and _CHANGES.search(name.lower()) is not None)


def call_family(name: str, fields: Mapping[str, Any]) -> Family:
    """The family of a call: a tool that is not in the table counts as edit if its name says so and it has a path."""
    if name.lower() in EDITORS and isinstance(command := fields.get("command"), str):
        return _EDITOR_COMMANDS.get(command, "edit")
    family = family_of(name)
    return "edit" if family == "other" and may_edit(name) and text_of(fields, PATHS) else family


def path_of(fields: Mapping[str, Any]) -> str:
    """The file or folder of a call, or of the first one of its operations; empty if there is none."""
    operations = fields.get("operations")
    first = operations[0] if isinstance(operations, list) and operations else None
    return text_of(fields, PATHS) or (text_of(first, PATHS) if isinstance(first, dict) else "")


def file_of(name: str, fields: Mapping[str, Any]) -> str:
    """The one file that a call reads, edits or writes, as the agent wrote it; empty for other calls."""
    return path_of(fields) if family_of(name) in {"read", "edit", "write"} else ""


def text_of(fields: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first of some arguments that is a string and not empty; otherwise the empty string."""
    return next((value for name in names if isinstance(value := fields.get(name), str) and value), "")


def command_of(fields: Mapping[str, Any]) -> str:
    """The shell command of a call; of a list of words, the script after `-c`, or all words joined."""
    value = next((fields[name] for name in COMMANDS if name in fields), "")
    if isinstance(value, list):
        words = [word for word in value if isinstance(word, str)]
        return words[2] if len(words) == 3 and words[1] in {"-c", "-lc"} else " ".join(words)
    return value if isinstance(value, str) else ""
