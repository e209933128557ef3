"""The names that Claude Code uses, and what it writes into results."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    reads=("NotebookRead",),
    edits=("MultiEdit", "NotebookEdit"),
    web=("WebFetch", "WebSearch"),
    plans=("TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TodoRead", "TodoWrite"),
    name_only=("MultiEdit", "NotebookEdit", "NotebookRead"),
    bookkeeping=(
        *("EnterPlanMode", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TodoRead", "TodoWrite"),
        *("ToolSearch",),
    ),
    reports=("AskUserQuestion", "ExitPlanMode", "TaskOutput", "TaskStop"),
    todo_lists=("TodoWrite",),
    task_creations=("TaskCreate",),
    task_updates=("TaskUpdate",),
    questions=("AskUserQuestion",),
    proposals=("ExitPlanMode",),
    paths=("notebook_path",),
    cells=("new_source",),
    result_heads=(r"Exit code \d+(?:\n|\Z)",),
    rejections=("doesn't want to proceed",),
    rejection_reasons=(r"the user said:\s*(.+?)(?:\n\nNote:.*)?\Z",),
    error_phrases=(
        *("<tool_use_error>", "doesn['’]t want to (?:proceed|take this action)", r"\[Request interrupted"),
        *("Permission to use", "requires approval", "InputValidationError", "has not been read yet"),
        *("exceeds maximum allowed", "[Cc]ancelled:? parallel", "Sibling tool call", "File does not exist"),
        *("No such tool", "tool use was rejected", "denied by", "hook error", "user rejected"),
    ),
)
