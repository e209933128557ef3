"""The names that Kimi uses, and what it writes into results."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    reads=("ReadFile", "ReadMediaFile"),
    edits=("StrReplaceFile",),
    writes=("WriteFile",),
    web=("FetchURL", "SearchWeb"),
    tasks=("AgentSwarm",),
    plans=("SetTodoList", "TodoList"),
    rejections=("The tool call is rejected by the user",),
)
