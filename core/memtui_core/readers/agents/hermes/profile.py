"""The names that Hermes Agent uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    edits=("patch",),
    web=("web_extract",),
    tasks=("delegate_task",),
)
