"""The families of tools, and the names of the arguments with the path, the command and the texts.

The only table of tool names. It contains those of Claude Code (2.0 to 2.1, and older names), Codex, OpenCode, Gemini
CLI, Copilot CLI, Pi, Oh My Pi, Kimi Code and Factory Droid; names are compared in lower case. It imports nothing heavy,
because hooks load it at startup.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

Family = Literal["read", "edit", "write", "shell", "search", "web", "task", "plan", "other"]
"""read and write: one file; edit: parts of files; search: files by name or content; task: hands work to a subagent;
plan: keeps the agent's own list of things to do."""

FAMILIES: Mapping[str, Family] = {
    **dict.fromkeys(("read", "read_file", "readfile", "view", "notebookread", "cat"), "read"),
    **dict.fromkeys(("readmediafile", "view_image"), "read"),
    **dict.fromkeys(
        ("edit", "multiedit", "notebookedit", "replace", "str_replace", "edit_file", "apply_patch", "applypatch"),
        "edit",
    ),
    **dict.fromkeys(
        ("str_replace_editor", "strreplacefile"),
        "edit",
    ),
    **dict.fromkeys(("write", "write_file", "writefile", "create", "create_file"), "write"),
    **dict.fromkeys(
        ("bash", "shell", "exec_command", "run_shell_command", "local_shell", "powershell", "execute"),
        "shell",
    ),
    **dict.fromkeys(("grep", "search_file_content", "rg", "search", "codesearch"), "search"),
    **dict.fromkeys(("glob", "list", "ls", "list_directory", "find"), "search"),
    **dict.fromkeys(
        ("webfetch", "websearch", "web_fetch", "google_web_search", "web_search", "web_search_call"),
        "web",
    ),
    **dict.fromkeys(("fetchurl", "fetch_url"), "web"),
    **dict.fromkeys(("task", "agent", "agentswarm", "spawn_agent"), "task"),
    **dict.fromkeys(("todowrite", "todoread", "update_plan", "write_todos", "update_todo"), "plan"),
    **dict.fromkeys(("todo", "todolist", "settodolist"), "plan"),
    **dict.fromkeys(("taskcreate", "taskupdate", "tasklist", "taskget"), "plan"),
}
LISTINGS = frozenset({"glob", "list", "ls", "list_directory", "find"})
"""Searches that return names of files; the others return lines."""
SHELLS = frozenset(name for name, family in FAMILIES.items() if family == "shell")

PATHS = ("file_path", "filePath", "notebook_path", "path", "absolute_path", "relative_path", "filename", "paths")
"""Arguments that name a file or folder; the first one present counts."""
COMMANDS = ("command", "cmd")
OLD_TEXTS = ("old_string", "oldString", "old_str", "old_text", "oldText")
NEW_TEXTS = ("new_string", "newString", "new_str", "new_text", "newText")
CELLS = ("new_source",)
CONTENTS = ("content", "file_text", "contents")
PATCHES = ("patchText", "input", "patch")
SUBJECTS = ("subject", "title", "description", "pattern", "url", "query", "skill", "prompt", "name")
"""Arguments that describe the purpose of a call without path and command."""

_LINES = re.compile(r":\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*\Z")
"""Lines to read, as Oh My Pi writes them: `src/app.py:20-40,60`."""
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
    family = family_of(name)
    return "edit" if family == "other" and may_edit(name) and text_of(fields, PATHS) else family


def file_of(name: str, fields: Mapping[str, Any]) -> str:
    """The one file that a call reads, edits or writes, as the agent wrote it; empty for other calls."""
    return path_of(fields) if family_of(name) in {"read", "edit", "write"} else ""


def path_of(fields: Mapping[str, Any]) -> str:
    """The path in the arguments, without the numbers of lines that may follow it; empty for an address."""
    path = text_of(fields, PATHS)
    return "" if "://" in path else _LINES.sub("", path)


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
