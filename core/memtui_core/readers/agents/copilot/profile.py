"""The names that GitHub Copilot uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    searches=("rg",),
    plans=("update_todo",),
)
