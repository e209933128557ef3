"""The names that Warp uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    reads=("read_files",),
    edits=("apply_file_diffs",),
    searches=("search_codebase",),
    listings=("file_glob", "file_glob_v2"),
    tasks=("start_agent",),
    plans=("update_todos",),
)
