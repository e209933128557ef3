"""The names that Cursor uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    reads=("read_file_v2",),
    edits=("edit_file_v2", "StrReplace"),
    shells=("run_terminal_cmd", "run_terminal_command_v2"),
    searches=("ripgrep_raw_search", "SemanticSearch"),
    listings=("glob_file_search", "list_dir_v2"),
    tasks=("task_v2",),
    paths=("target_file", "targetFile", "relativeWorkspacePath", "target_directory", "targetDirectory"),
)
