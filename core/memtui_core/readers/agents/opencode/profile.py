"""The names that OpenCode and Kilo Code use."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    searches=("codesearch",),
    listings=("list",),
    patches=("patchText",),
)
