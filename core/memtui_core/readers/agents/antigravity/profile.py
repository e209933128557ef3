"""The names that Antigravity uses."""

from memtui_core.tools.profile import Profile

PROFILE = Profile(
    edits=("replace_file_content", "multi_replace_file_content"),
    listings=("find_by_name",),
    web=("search_web", "read_url_content"),
    paths=("AbsolutePath", "TargetFile", "DirectoryPath", "SearchPath", "SearchDirectory"),
    commands=("CommandLine",),
    old_texts=("TargetContent",),
    new_texts=("ReplacementContent",),
    contents=("CodeContent",),
    edit_lists=("ReplacementChunks",),
)
