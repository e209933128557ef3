"""The names that Mistral Vibe uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    edits=("search_replace",),
)
