"""The reader of Kimi Code: its locations, files and commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui_core.readers.agent import FileReader
from memtui_core.readers.base import Cursor, Transcript
from memtui_core.readers.beside import with_file_beside
from memtui_core.readers.first_entry import first_entry
from memtui_core.readers.kimi.file_names import (
    STATE,
    agents_folder,
    is_in_session,
    records_of_main,
    state_of,
)
from memtui_core.system.locations import folder_of
from memtui_core.system.walk import RegularFile

if TYPE_CHECKING:
    from memtui_core.readers.kimi.transcript import KimiReading


class Kimi(FileReader):
    """The reader of Kimi Code."""

    agent = "kimi"
    name = "Kimi Code"
    short_name = "kimi"
    label = "km"
    own_folders: Sequence[str] = ("/.kimi-code/",)
    samples_only = True

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The `sessions` folder, in `KIMI_CODE_HOME` or in `~/.kimi-code`."""
        return [(folder_of(environ.get("KIMI_CODE_HOME")) or Path.home() / ".kimi-code") / "sessions"]

    def accepts(self, path: Path) -> bool:
        """Whether it belongs to a session: by its name and folder, or by its first record."""
        return is_in_session(path) or (path.suffix == ".jsonl" and _is_record(first_entry(path)))

    def container(self, path: Path) -> Path:
        """The records of an agent; the file about a session belongs to its main agent."""
        return records_of_main(path) if path.name == STATE else path

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The records as one transcript, which changes also with the file about the session."""
        records = self.container(file.path)
        return with_file_beside(self.agent, records, state_of(records))

    def subagent_locations(self, path: Path) -> Sequence[Path]:
        """The folder with the records of all agents."""
        return [agents_folder(path)] if is_in_session(path) else ()

    def read(self, transcript: Transcript, cursor: Cursor) -> KimiReading:
        """Open a transcript at a cursor."""
        # Hooks and the app use names and commands only: importing the decoder would delay their start.
        from memtui_core.readers.kimi.transcript import KimiReading

        return KimiReading(transcript, cursor)

    def resume_command(self, session_id: str) -> list[str] | None:
        """`kimi --session`."""
        return ["kimi", "--session", session_id]


def _is_record(entry: dict[str, Any]) -> bool:
    kind = entry.get("type")
    return (kind == "metadata" and "protocol_version" in entry) or (kind == "config.update" and "modelAlias" in entry)
