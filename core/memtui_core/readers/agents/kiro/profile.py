"""The names that only Kiro uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    tasks=("use_subagent",),
)
