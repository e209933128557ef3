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
    purposes=("justification",),
    # Of a command that still runs the head says more than its outcome, so it stays.
    result_heads=(
        r"(?:(?:Chunk ID: \S+|Exit code: -?\d+|Script completed|Process exited with code -?\d+"
        r"|Wall time:? [\d.]+ seconds|(?:Original token count|Total output lines): \d+)\n)+Output:(?:\n|\Z)",
    ),
    durations=(r"Wall time:? ([\d.]+) seconds",),
)
