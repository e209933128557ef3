"""The names that Zed uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    listings=("find_path",),
)
