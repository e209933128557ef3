"""The reader of Cline: its locations and commands, and what agents that come from it share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.cline.file_names import (
    ABOUT,
    MESSAGES,
    SUMMARY,
    TASK_FILES,
    TASKS,
    extension_folders,
    extension_of,
    extension_storages,
    history_file,
    is_session_file,
    is_task_file,
    subagent_files,
)
from memtui_core.readers.agents.cline.profile import PROFILE
from memtui_core.readers.base import Transcript
from memtui_core.readers.copying import Copying
from memtui_core.system.locations import folder_of, home_in
from memtui_core.system.walk import RegularFile

_EXTENSION: Final = "saoudrizwan.claude-dev"


class TaskReader(FileReader):
    """A reader of an extension whose sessions are folders `tasks/<task>/`."""

    reading = "memtui_core.readers.agents.cline.task:TaskReading"

    def container(self, path: Path) -> Path:
        """The folder of the task."""
        return path.parent if path.name in TASK_FILES else path

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The task, if it has a conversation."""
        folder = self.container(file.path)
        if history_file(folder) is not None:
            size, changed = _state(folder / name for name in TASK_FILES)
            yield Transcript(self.agent, folder, size, changed)


class Cline(TaskReader):
    """The reader of Cline: the tasks of the extension, and the sessions of the program for the terminal."""

    agent = "cline"
    name = "Cline"
    short_name = "cline"
    label = "cl"
    profile = PROFILE
    own_folders: Sequence[str] = (f"/{_EXTENSION}/", "/.cline/data/")
    samples_only = True
    start: Sequence[str] = ("cline",)
    copying = Copying(
        locations=tuple(f"{storage}/{TASKS}" for storage in extension_storages(_EXTENSION)),
        beside=(
            ".cline/data/state/taskHistory.json",
            *(f"{storage}/state/taskHistory.json" for storage in extension_storages(_EXTENSION)),
        ),
    )

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folders `sessions` and `tasks` in `~/.cline/data`, and the tasks of the extension in editors."""
        root = folder_of(environ.get("CLINE_DIR")) or home_in(environ) / ".cline"
        data = folder_of(environ.get("CLINE_DATA_DIR")) or root / "data"
        sessions = folder_of(environ.get("CLINE_SESSION_DATA_DIR")) or data / "sessions"
        return [sessions, data / "tasks", *extension_folders(_EXTENSION, home_in(environ))]

    def accepts(self, path: Path) -> bool:
        """Whether it is a file of a session, or of a task that belongs to no other extension."""
        if is_session_file(path):
            return True
        if not is_task_file(path):
            return False
        extension = extension_of(path)
        return extension == _EXTENSION if extension else not (path.parent / ABOUT).exists()

    def container(self, path: Path) -> Path:
        """The folder of the session or task."""
        return path.parent if is_session_file(path) else super().container(path)

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The task; or the session and its subagents."""
        if not _is_session(folder := self.container(file.path)):
            yield from super().transcripts(file)
            return
        name = folder.name
        size, changed = _state(folder / f"{name}{suffix}" for suffix in (".json", MESSAGES, SUMMARY))
        if (folder / f"{name}{MESSAGES}").is_file():
            yield Transcript(self.agent, folder, size, changed)
        for agent, path in subagent_files(folder):
            yield Transcript(self.agent, folder, *_state([path]), agent)

    def reading_of(self, transcript: Transcript) -> str:
        """The class for a session, or for a task."""
        is_session = _is_session(transcript.path)
        return "memtui_core.readers.agents.cline.session:SessionReading" if is_session else self.reading

    def resume_command(self, session_id: str) -> list[str] | None:
        """`cline --id`; None for a task of the extension, whose id is a number."""
        return None if session_id.isdigit() else ["cline", "--id", session_id]


def _is_session(folder: Path) -> bool:
    return folder.parent.name == "sessions"


def _state(files: Iterable[Path]) -> tuple[int, int]:
    """The size of all files that exist, and the time of the last change of one of them in nanoseconds."""
    states = list(_states(files))
    return sum(size for size, _ in states), max((changed for _, changed in states), default=0)


def _states(files: Iterable[Path]) -> Iterator[tuple[int, int]]:
    for path in files:
        try:
            status = path.stat()
        except OSError:
            continue
        yield status.st_size, status.st_mtime_ns
