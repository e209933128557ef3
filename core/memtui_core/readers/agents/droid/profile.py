"""The names that Droid uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    edits=("ApplyPatch",),
    shells=("Execute",),
    web=("FetchUrl",),
    paths=("directory_path",),
)
