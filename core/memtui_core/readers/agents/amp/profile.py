"""The names that Amp uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    web=("read_web_page",),
)
