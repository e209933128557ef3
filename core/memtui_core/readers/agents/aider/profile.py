"""The names that the reader of aider gives to the edits in answers."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    old_texts=("search",),
    new_texts=("replace",),
)
