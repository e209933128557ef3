"""The names that OpenHands uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    editors=("file_editor", "planning_file_editor"),
    web=("browser_get_content", "browser_navigate"),
    tasks=("delegate",),
    plans=("task_tracker",),
)
