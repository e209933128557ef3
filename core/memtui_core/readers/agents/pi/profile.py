"""The names that Pi and Oh My Pi use."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    listings=("find",),
    purposes=("i",),
    old_texts=("oldText",),
    new_texts=("newText",),
)
