"""The names that Auggie uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    writes=("save-file",),
    editors=("str-replace-editor",),
    shells=("launch-process",),
    searches=("codebase-retrieval", "grep-search"),
    web=("web-fetch", "web-search"),
    plans=("add_tasks", "reorganize_tasklist", "update_tasks", "view_tasklist"),
    contents=("file_content",),
    edit_lists=("str_replace_entries",),
    numbered=(("old_str", "new_str"),),
)
