"""The reader of Codex: its locations and commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.codex.file_names import (
    ARCHIVE,
    COMPRESSED,
    HISTORY,
    PLAIN,
    SESSIONS,
    is_rollout,
    uncompressed,
)
from memtui_core.readers.agents.codex.profile import PROFILE
from memtui_core.readers.agents.codex.titles.name_files import (
    DATABASES,
    NAME_LIST,
    is_name_file,
    name_file_of,
    name_files,
)
from memtui_core.readers.base import Cursor, Reading, Transcript
from memtui_core.readers.conversion.json_values import mapping
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import folder_of, home_in
from memtui_core.system.walk import RegularFile

if TYPE_CHECKING:
    from memtui_core.readers.agents.codex.titles.thread_names import ThreadNames
    from memtui_core.readers.formats.prompt_history import PromptHistory
    from memtui_core.readers.new_session import NewSession, Rewinding, SessionFile

_OLD_HEADER: Final = frozenset({"id", "timestamp", "instructions"})
"""The keys of the first line in rollouts of the first versions."""


class Codex(FileReader):
    """The reader of Codex. A rollout is a transcript; so is the name of a thread, which is in another file."""

    agent = "codex"
    name = "Codex"
    short_name = "codex"
    label = "cx"
    profile = PROFILE
    own_folders: Sequence[str] = (
        "/.codex/sessions/",
        "/.codex/archived_sessions/",
        "/.codex/memories/",
        "/.codex/plugins/",
    )
    tested_version = "0.147.0"
    copying = Copying(
        locations=(
            *(f".codex/{name}" for name in (HISTORY, NAME_LIST, "state.sqlite", "state_*.sqlite")),
            *(f".codex/{name}" for name in ("thread_history.sqlite", "thread_history_*.sqlite")),
        ),
        tables={"threads": ""},
        has_secrets=True,
    )
    reading = "memtui_core.readers.agents.codex.rollout.records:RolloutReading"
    start: Sequence[str] = ("codex",)
    connection = "memtui_core.readers.agents.codex.connection:CONNECTION"

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folders of sessions, and the files with names and with prompts, in `CODEX_HOME` or in `~/.codex`."""
        home = folder_of(environ.get("CODEX_HOME")) or home_in(environ) / ".codex"
        databases = folder_of(environ.get(DATABASES)) or home
        history = [path for path in (home / HISTORY,) if path.exists()]
        return [home / SESSIONS, home / ARCHIVE, *name_files(home, databases), *history]

    def accepts(self, path: Path) -> bool:
        """Whether it is a rollout, by its name or by its first line, or a file with names of threads."""
        name = path.name
        if is_name_file(path) or is_rollout(name):
            return True
        if _is_history(path):
            return True
        if not name.endswith((PLAIN, COMPRESSED)):
            return False
        entry = first_entry(path)
        if entry.get("type") == "session_meta":
            return any(isinstance(mapping(entry.get("payload")).get(key), str) for key in ("id", "session_id"))
        return "type" not in entry and entry.keys() >= _OLD_HEADER

    def is_database(self, path: Path) -> bool:
        """Whether a file is a database with the names of threads, or beside one."""
        return is_name_file(path) and path.name != NAME_LIST

    def container(self, path: Path) -> Path:
        """The file itself; for the log of a database, the database."""
        return name_file_of(path) if is_name_file(path) else path

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The rollout, or the names in a file. A compressed rollout next to a plain one is left out."""
        if is_name_file(file.path):
            return self._thread_names.transcripts(name_file_of(file.path))
        if _is_history(file.path):
            return self._prompts.transcripts(file.path, file.mtime)
        plain = uncompressed(file.path)
        return () if plain != file.path and plain.exists() else super().transcripts(file)

    def read(self, transcript: Transcript, cursor: Cursor) -> Reading:
        """Open a transcript at a cursor."""
        if transcript.prompts_only:
            return self._prompts.read(transcript, cursor)
        if transcript.part:
            return self._thread_names.read(transcript)
        return super().read(transcript, cursor)

    def resume_command(self, session_id: str) -> list[str] | None:
        """`codex resume` with the id of the thread."""
        return ["codex", "resume", session_id.partition("_")[0]]

    def session_file(self, session: NewSession, environ: Mapping[str, str]) -> SessionFile:
        """A rollout in the folder of sessions."""
        from memtui_core.readers.agents.codex.session_file import session_file

        return session_file(environ, session)

    def rewound(self, rewinding: Rewinding, environ: Mapping[str, str]) -> SessionFile | None:
        """A rollout with the lines before a place; None for a rollout of the first versions."""
        from memtui_core.readers.agents.codex.rewinding import rewound

        return rewound(environ, rewinding)

    @cached_property
    def _prompts(self) -> PromptHistory:
        from memtui_core.readers.agents.codex.history import on_disk, prompt_in
        from memtui_core.readers.formats.prompt_history import PromptHistory

        return PromptHistory(self.agent, prompt_in, on_disk)

    @cached_property
    def _thread_names(self) -> ThreadNames:
        from memtui_core.readers.agents.codex.titles.thread_names import ThreadNames

        return ThreadNames(self.agent)


def _is_history(path: Path) -> bool:
    """Whether a file is that with the prompts of all sessions."""
    return path.name == HISTORY and first_entry(path).keys() >= {"session_id", "ts", "text"}
