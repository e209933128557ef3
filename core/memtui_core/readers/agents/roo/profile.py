"""The names that Roo Code uses, besides those of Cline."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    edits=("apply_diff", "insert_content", "search_and_replace"),
    tasks=("new_task",),
    plans=("update_todo_list",),
)
