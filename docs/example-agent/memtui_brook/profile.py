"""The names that Brook uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(edits=("Carve",), paths=("bank",), old_texts=("from_here",), new_texts=("to_there",))
