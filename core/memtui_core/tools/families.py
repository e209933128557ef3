"""The families of tools, and the names of the arguments with the path, the command and the texts.

The only table of tool names, of all agents that have a reader. Names are compared in lower case. It imports nothing
heavy, because hooks load it at startup.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from memtui_core.text.patterns import lazy_pattern

Family = Literal["read", "edit", "write", "shell", "search", "web", "task", "plan", "other"]
"""read and write: one file; edit: parts of files; search: files by name or content; task: hands work to a subagent;
plan: keeps the agent's own list of things to do."""

LISTINGS = frozenset(
    {
        *("builtin_file_glob_search", "builtin_ls", "builtin_view_subdirectory", "file_glob"),
        *("file_glob_search", "file_glob_v2", "file_search", "find", "find_by_name", "find_path", "glob"),
        *("glob_file_search", "idea/list_directory_tree", "list", "list_code_definition_names", "list_dir"),
        *("list_dir_v2", "list_directory", "list_files", "ls", "view_subdirectory"),
    }
)
"""Searches that return names of files; the others return lines."""
_NAMES: Mapping[Family, str] = {
    "read": (
        "builtin_read_currently_open_file builtin_read_file cat fs_read notebookread read read_currently_open_file "
        "read_file read_file_range read_file_v2 read_files read_many_files readfile readmediafile view view_file "
        "view_image"
    ),
    "edit": (
        "apply_diff apply_file_diffs apply_patch applypatch builtin_edit_existing_file developer__text_editor edit "
        "edit_existing_file edit_file edit_file_v2 editor file_editor fs_write idea/apply_patch insert_content "
        "multi_edit multi_replace_file_content multiedit notebook_edit notebookedit patch planning_file_editor "
        "replace replace_file_content replace_in_file search_and_replace search_replace single_find_and_replace "
        "str-replace-editor str_replace str_replace_editor strreplace strreplacefile text_editor"
    ),
    "write": (
        "builtin_create_new_file create create_file create_new_file idea/create_new_file save-file write write_file "
        "write_to_file writefile"
    ),
    "shell": (
        "bash builtin_run_terminal_command developer__shell exec exec_command execute execute_bash execute_cmd "
        "execute_command idea/execute_terminal_command launch-process local_shell powershell run_command "
        "run_commands run_shell_command run_terminal_cmd run_terminal_command run_terminal_command_v2 shell "
        "shell_command terminal"
    ),
    "search": (
        "builtin_grep_search codebase codebase-retrieval codebase_search codesearch grep grep-search grep_files "
        "grep_search rg ripgrep_raw_search search search_codebase search_file_content search_files semanticsearch "
        "sourcegraph"
    ),
    "web": (
        "agentic_fetch browser browser_action browser_get_content browser_navigate builtin_search_web download "
        "fetch fetch_url fetch_url_content fetch_web_content fetchurl google_web_search read_url_content "
        "read_web_page search_web searchweb web-fetch web-search web_extract web_fetch web_search web_search_call "
        "webfetch websearch"
    ),
    "task": (
        "agent agentswarm delegate delegate_task delegate_to_agent invoke_agent new_task sessions_spawn spawn_agent "
        "start_agent subagent task task_v2 use_subagent use_subagents"
    ),
    "plan": (
        "add_tasks checklist reorganize_tasklist settodolist task_tracker taskcreate taskget tasklist taskupdate "
        "todo todo__todo_write todo_list todo_read todo_write todolist todoread todos todowrite update_plan "
        "update_tasks update_todo update_todo_list update_todos view_tasklist write_todos"
    ),
}
FAMILIES: Mapping[str, Family] = {
    **{name: family for family, names in _NAMES.items() for name in names.split()},
    **dict.fromkeys(LISTINGS, "search"),
}
EDITORS = frozenset(
    {
        *("developer__text_editor", "file_editor", "fs_write", "planning_file_editor", "str-replace-editor"),
        *("str_replace_editor", "text_editor"),
    }
)
"""Tools that read, edit or write a file, depending on the argument `command`."""
SHELLS = frozenset(name for name, family in FAMILIES.items() if family == "shell")
READING_SHELLS = frozenset({"exec", "exec_command", "shell_command", "shell", "local_shell"})
"""Shells of an agent that has no tool to read files: what their commands show counts as read."""

PATHS = (
    *("file_path", "filePath", "notebook_path", "path", "absolute_path", "relative_path", "filename"),
    *("target_file", "targetFile", "relativeWorkspacePath", "dir_path", "target_directory", "targetDirectory", "paths"),
    *("AbsolutePath", "TargetFile", "DirectoryPath", "SearchPath", "SearchDirectory", "directory_path"),
    *("filepath", "dirpath", "dirPath", "pathInProject", "directoryPath"),
)
"""Arguments that name a file or folder; the first one present counts."""
COMMANDS = ("command", "cmd", "commands", "CommandLine")
OLD_TEXTS = ("old_string", "oldString", "old_str", "old_text", "oldText", "search", "TargetContent", "old")
NEW_TEXTS = ("new_string", "newString", "new_str", "new_text", "newText", "replace", "ReplacementContent", "new")
CELLS = ("new_source",)
CONTENTS = ("content", "file_text", "contents", "CodeContent", "file_content")
EDITS = ("edits", "ReplacementChunks", "changes", "str_replace_entries", "edit")
"""Arguments with several replacements in one file, or with one as an object."""
NUMBERED = ("old_str", "new_str")
"""Arguments that can have a number, from 1 on, for each of several replacements: `old_str_1`."""
BLOCKS = ("diff", "content")
"""Arguments with replacements as blocks `SEARCH` and `REPLACE`, if they contain some."""
PATCHES = ("patchText", "input", "patch")
SUBJECTS = ("subject", "title", "description", "pattern", "url", "query", "skill", "prompt", "name")
"""Arguments that describe the purpose of a call without path and command."""

_EDITOR_COMMANDS: Mapping[str, Family] = {"view": "read", "create": "write", "write": "write"}
_LINES = lazy_pattern(r":\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*\Z")
"""Lines to read, as Oh My Pi writes them: `src/app.py:20-40,60`."""
_CHANGES = lazy_pattern(r"edit|write|replace|insert|patch|delete|rename|move")


def family_of(name: str) -> Family:
    """The family of a tool by its name, ignoring case."""
    return FAMILIES.get(name.lower(), "other")


def may_edit(name: str) -> bool:
    """Whether a tool can change files, by its name."""
    family = family_of(name)
    return family in {"edit", "write", "shell"} or (family == "other" and _CHANGES.search(name.lower()) is not None)


def call_family(name: str, fields: Mapping[str, Any]) -> Family:
    """The family of a call: a tool that is not in the table counts as edit if its name says so and it has a path.

    So does a shell that only applies a patch. `fields` are the input as `meaning.meaning_of` returns it.
    """
    if name.lower() in EDITORS and isinstance(command := fields.get("command"), str):
        return _EDITOR_COMMANDS.get(command, "edit")
    family = family_of(name)
    if family == "shell" and text_of(fields, PATCHES[-1:]) and not command_of(fields):
        return "edit"
    return "edit" if family == "other" and may_edit(name) and text_of(fields, PATHS) else family


def path_of(fields: Mapping[str, Any]) -> str:
    """The file or folder of a call, or of the first of its operations or files; empty if there is none, or an address.

    It is without numbers of lines after the path.
    """
    operations = fields.get("operations", fields.get("files"))
    first = operations[0] if isinstance(operations, list) and operations else None
    path = text_of(fields, PATHS) or (text_of(first, PATHS) if isinstance(first, dict) else "")
    return "" if "://" in path else _LINES.sub("", path)


def file_of(name: str, fields: Mapping[str, Any]) -> str:
    """The one file that a call reads, edits or writes, as the agent wrote it; empty for other calls."""
    return path_of(fields) if family_of(name) in {"read", "edit", "write"} else ""


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
