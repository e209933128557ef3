"""The families of tools, and the names of the arguments with the path, the command and the texts.

The only table of tool names. It contains those of Claude Code (2.0 to 2.1, and older names), Codex, OpenCode, Gemini
CLI, Qwen Code, Copilot CLI, Pi, Cursor, Antigravity, Droid, Cline and Roo Code; names are compared in lower case. It
imports nothing heavy, because hooks load it at startup.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

Family = Literal["read", "edit", "write", "shell", "search", "web", "task", "plan", "other"]
"""read and write: one file; edit: parts of files; search: files by name or content; task: hands work to a subagent;
plan: keeps the agent's own list of things to do."""

FAMILIES: Mapping[str, Family] = {
    **dict.fromkeys(("read", "read_file", "view", "notebookread", "cat"), "read"),
    **dict.fromkeys(("read_file_v2", "read_files", "read_many_files", "view_file"), "read"),
    **dict.fromkeys(
        ("edit", "multiedit", "notebookedit", "replace", "str_replace", "edit_file", "apply_patch"),
        "edit",
    ),
    **dict.fromkeys(("strreplace", "applypatch", "edit_file_v2", "search_replace", "editor"), "edit"),
    **dict.fromkeys(("replace_in_file", "apply_diff", "insert_content", "search_and_replace"), "edit"),
    **dict.fromkeys(("replace_file_content", "multi_replace_file_content"), "edit"),
    **dict.fromkeys(("write", "write_file", "create", "create_file", "write_to_file"), "write"),
    **dict.fromkeys(
        ("bash", "shell", "exec_command", "run_shell_command", "local_shell", "powershell"),
        "shell",
    ),
    **dict.fromkeys(("run_terminal_cmd", "run_terminal_command", "run_terminal_command_v2"), "shell"),
    **dict.fromkeys(("execute_command", "run_commands", "run_command", "execute"), "shell"),
    **dict.fromkeys(("grep", "search_file_content", "rg", "search", "codesearch"), "search"),
    **dict.fromkeys(("grep_search", "ripgrep_raw_search", "codebase_search", "semanticsearch"), "search"),
    **dict.fromkeys(("search_files", "search_codebase"), "search"),
    **dict.fromkeys(("glob", "list", "ls", "list_directory"), "search"),
    **dict.fromkeys(("glob_file_search", "file_search", "list_dir", "list_dir_v2", "list_files"), "search"),
    **dict.fromkeys(("list_code_definition_names", "find_by_name"), "search"),
    **dict.fromkeys(
        ("webfetch", "websearch", "web_fetch", "google_web_search", "web_search", "web_search_call"),
        "web",
    ),
    **dict.fromkeys(("fetch_web_content", "browser_action", "search_web", "read_url_content", "fetchurl"), "web"),
    **dict.fromkeys(("task", "agent", "spawn_agent"), "task"),
    **dict.fromkeys(("task_v2", "subagent", "new_task", "invoke_agent", "delegate_to_agent"), "task"),
    **dict.fromkeys(("todowrite", "todoread", "update_plan", "write_todos"), "plan"),
    **dict.fromkeys(("todo_write", "update_todo_list"), "plan"),
    **dict.fromkeys(("taskcreate", "taskupdate", "tasklist", "taskget"), "plan"),
}
LISTINGS = frozenset(
    {
        *("glob", "list", "ls", "list_directory", "glob_file_search", "file_search"),
        *("list_dir", "list_dir_v2", "list_files", "list_code_definition_names", "find_by_name"),
    }
)
"""Searches that return names of files; the others return lines."""
SHELLS = frozenset(name for name, family in FAMILIES.items() if family == "shell")

PATHS = (
    *("file_path", "filePath", "notebook_path", "path", "absolute_path", "relative_path", "filename"),
    *("target_file", "targetFile", "relativeWorkspacePath", "dir_path", "target_directory", "targetDirectory"),
    *("AbsolutePath", "TargetFile", "DirectoryPath", "SearchPath", "SearchDirectory", "directory_path"),
)
"""Arguments that name a file or folder; the first one present counts."""
COMMANDS = ("command", "cmd", "commands", "CommandLine")
OLD_TEXTS = ("old_string", "oldString", "old_str", "old_text", "oldText", "search", "TargetContent")
NEW_TEXTS = ("new_string", "newString", "new_str", "new_text", "newText", "replace", "ReplacementContent")
CELLS = ("new_source",)
CONTENTS = ("content", "file_text", "contents", "CodeContent")
EDITS = ("edits", "ReplacementChunks", "changes")
"""Arguments with several replacements in one file."""
BLOCKS = ("diff",)
"""Arguments with replacements as blocks `SEARCH` and `REPLACE`."""
PATCHES = ("patchText", "input", "patch")
SUBJECTS = ("subject", "title", "description", "pattern", "url", "query", "skill", "prompt", "name")
"""Arguments that describe the purpose of a call without path and command."""

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
    return text_of(fields, PATHS) if family_of(name) in {"read", "edit", "write"} else ""


def text_of(fields: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first of some arguments that is a string and not empty; otherwise the empty string."""
    return next((value for name in names if isinstance(value := fields.get(name), str) and value), "")


def command_of(fields: Mapping[str, Any]) -> str:
    """The shell command of a call.

    Of a list of words it is the script after `-c`, or all words joined; of several commands, each on a line.
    """
    name = next((name for name in COMMANDS if name in fields), "")
    value = fields.get(name, "")
    if name == "commands":
        return "\n".join(_listed(value))
    if isinstance(value, list):
        words = [word for word in value if isinstance(word, str)]
        return words[2] if len(words) == 3 and words[1] in {"-c", "-lc"} else " ".join(words)
    return value if isinstance(value, str) else ""


def _listed(value: Any) -> list[str]:
    """Several commands: a list, or a list as JSON in a text, or one command."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        import json

        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return [value]
    if isinstance(value, list):
        commands = [item.get("command") if isinstance(item, dict) else item for item in value]
        return [command for command in commands if isinstance(command, str)]
    return [value] if isinstance(value, str) else []
