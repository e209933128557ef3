"""The names that Cline uses, and what it writes into results."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    edits=("editor", "replace_in_file"),
    shells=("run_commands",),
    listings=("list_code_definition_names",),
    web=("browser_action",),
    tasks=("use_subagents",),
    questions=("ask_followup_question", "ask_question"),
    conclusions=("attempt_completion", "plan_mode_respond", "plan_mode_response"),
    commands=("commands",),
    rejections=("The user denied this operation",),
)
