"""The names that Junie uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    edits=("idea/apply_patch",),
    writes=("idea/create_new_file",),
    shells=("idea/execute_terminal_command",),
    listings=("idea/list_directory_tree",),
    paths=("pathInProject", "directoryPath"),
)
