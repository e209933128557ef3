"""The names that Continue uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    reads=("read_file_range", "read_currently_open_file", "builtin_read_file", "builtin_read_currently_open_file"),
    edits=("edit_existing_file", "single_find_and_replace", "multi_edit", "builtin_edit_existing_file"),
    writes=("create_new_file", "builtin_create_new_file"),
    shells=("run_terminal_command", "builtin_run_terminal_command"),
    searches=("codebase", "search", "builtin_grep_search"),
    listings=(
        *("file_glob_search", "view_subdirectory", "builtin_file_glob_search", "builtin_ls"),
        *("builtin_view_subdirectory",),
    ),
    web=("fetch_url_content", "builtin_search_web"),
    paths=("filepath", "dirpath", "dirPath"),
    rejections=("Permission denied by user",),
)
