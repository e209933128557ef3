"""The names that several agents use, or agents that have no reader. They come before those of each agent."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    reads=("read", "read_file", "view", "view_file", "cat"),
    edits=("edit", "edit_file", "apply_patch", "str_replace", "notebook_edit"),
    writes=("write", "write_file", "write_to_file", "create", "create_file"),
    editors=("str_replace_editor", "text_editor"),
    shells=(
        *("bash", "shell", "terminal", "execute_bash", "execute_command", "run_command", "run_shell_command"),
        *("powershell",),
    ),
    searches=("grep", "grep_search", "search_files", "codebase_search"),
    listings=("glob", "ls", "file_search", "list_dir", "list_directory", "list_files"),
    web=("fetch", "fetch_url", "fetch_web_content", "web_fetch", "web_search"),
    tasks=("agent", "task", "subagent"),
    plans=("checklist", "todo", "todo_read", "todo_write"),
    quiet_listings=("glob",),
    proposals=("exit_plan_mode",),
    paths=("file_path", "filePath", "path", "relative_path", "filename", "paths"),
    commands=("command", "cmd"),
    purposes=("description",),
    folders=("workdir", "cwd"),
    old_texts=("old_string", "oldString", "old_str", "old_text", "old"),
    new_texts=("new_string", "newString", "new_str", "new_text", "new"),
    contents=("content", "file_text", "contents"),
    edit_lists=("edits", "changes", "edit"),
    blocks=("diff", "content"),
    patches=("input", "patch"),
    subjects=("subject", "title", "description", "pattern", "url", "query", "skill", "prompt", "name"),
    exit_phrases=("exit code:?", "exited with code", "exit status", '"exit_code":'),
    exit_lines=("(?:The )?[Cc]ommand (?:exited|failed) with (?:exit )?code ",),
)
