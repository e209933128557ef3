"""The names that Amazon Q Developer and Kiro use."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    reads=("fs_read",),
    editors=("fs_write",),
    shells=("execute_cmd",),
    plans=("todo_list",),
)
