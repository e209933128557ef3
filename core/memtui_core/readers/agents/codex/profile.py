"""The names that Codex uses. It has no tool to read files."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    reads=("view_image",),
    reading_shells=("exec", "exec_command", "shell_command", "shell", "local_shell"),
    searches=("grep_files",),
    web=("web_search_call",),
    tasks=("spawn_agent",),
    plans=("update_plan",),
    scripts=("exec",),
)
