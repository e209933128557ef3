"""The names that OpenClaw uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    web=("browser",),
    tasks=("sessions_spawn",),
)
