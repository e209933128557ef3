"""The reader of Qwen Code: its locations and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.qwen.file_names import is_session_file, subagent_folder
from memtui_core.readers.agents.qwen.profile import PROFILE
from memtui_core.readers.conversion.json_values import mapping
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import folder_of, home_in


class Qwen(FileReader):
    """The reader of Qwen Code: lines that are only appended."""

    agent = "qwen"
    name = "Qwen Code"
    short_name = "qwen"
    label = "qw"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.qwen/projects/", "/.qwen/tmp/", "/.qwen/todos/")
    samples_only = True
    reading = "memtui_core.readers.agents.qwen.transcript:QwenReading"
    resume: Sequence[str] = ("qwen", "--resume")
    start: Sequence[str] = ("qwen", "--prompt-interactive")
    connection = "memtui_core.readers.agents.qwen.connection:CONNECTION"

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folder `projects`, in `QWEN_RUNTIME_DIR` or `QWEN_HOME` or in `~/.qwen`."""
        folder = folder_of(environ.get("QWEN_RUNTIME_DIR")) or folder_of(environ.get("QWEN_HOME"))
        return [(folder or home_in(environ) / ".qwen") / "projects"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a session by its path, or by its first entry."""
        if path.suffix != ".jsonl":
            return False
        if is_session_file(path):
            return True
        entry = first_entry(path)
        has_id = isinstance(entry.get("sessionId"), str) and isinstance(entry.get("type"), str)
        is_known = {"systemPayload", "toolCallResult"} & entry.keys()
        return has_id and bool(is_known or isinstance(mapping(entry.get("message")).get("parts"), list))

    def subagent_locations(self, path: Path) -> Sequence[Path]:
        """The folder with the name of the session in `subagents`."""
        folder = subagent_folder(path)
        return [folder] if folder is not None else []
