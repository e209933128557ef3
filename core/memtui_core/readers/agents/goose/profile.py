"""The names that Goose uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    editors=("developer__text_editor",),
    shells=("developer__shell",),
    plans=("todo__todo_write",),
)
