"""The names that Crush uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    searches=("sourcegraph",),
    web=("agentic_fetch", "download"),
    plans=("todos",),
    bookkeeping=("todos",),
    todo_lists=("todos",),
)
