"""The names that Gemini CLI uses, and what it writes into results."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    reads=("read_many_files",),
    edits=("replace",),
    searches=("search_file_content",),
    web=("google_web_search",),
    tasks=("delegate_to_agent", "invoke_agent"),
    plans=("write_todos",),
    paths=("absolute_path", "dir_path"),
    exit_lines=("Exit Code: ",),
    rejections=("[Operation Cancelled]",),
)
