"""The reader of Kimi Code and of Kimi CLI, from which it came: locations, files and commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.kimi import cli_files
from memtui_core.readers.agents.kimi.file_names import STATE, agents_folder, is_in_session, records_of_main, state_of
from memtui_core.readers.agents.kimi.profile import PROFILE
from memtui_core.readers.base import Cursor, Reading, Transcript
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.beside import with_file_beside
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import folder_of, home_in
from memtui_core.system.walk import RegularFile


class Kimi(FileReader):
    """The reader of Kimi Code and Kimi CLI, which are one agent with two formats."""

    agent = "kimi"
    name = "Kimi Code"
    short_name = "kimi"
    label = "km"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.kimi-code/", "/.kimi/sessions/", "/.kimi/plans/")
    samples_only = True
    copying = Copying(beside=(".kimi/kimi.json",))
    reading = "memtui_core.readers.agents.kimi.transcript:KimiReading"
    resume: Sequence[str] = ("kimi", "--session")

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folders `sessions` in `KIMI_CODE_HOME` or `~/.kimi-code`, and in `KIMI_SHARE_DIR` or `~/.kimi`."""
        code = folder_of(environ.get("KIMI_CODE_HOME")) or home_in(environ) / ".kimi-code"
        cli = folder_of(environ.get("KIMI_SHARE_DIR")) or home_in(environ) / ".kimi"
        return [code / "sessions", cli / "sessions"]

    def accepts(self, path: Path) -> bool:
        """Whether it belongs to a session: by its name and folder, or by its first record."""
        if cli_files.is_cli_file(path) or is_in_session(path):
            return True
        return path.suffix == ".jsonl" and _is_record(first_entry(path))

    def container(self, path: Path) -> Path:
        """The records of an agent; the file about a session belongs to its main agent. Of Kimi CLI the folder."""
        if cli_files.is_cli_file(path):
            return cli_files.container_of(path)
        return records_of_main(path) if path.name == STATE else path

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The records as one transcript, which changes also with the file about the session."""
        records = self.container(file.path)
        if cli_files.is_container(records):
            return cli_files.transcripts_of(self.agent, records)
        return with_file_beside(self.agent, records, state_of(records))

    def subagent_locations(self, path: Path) -> Sequence[Path]:
        """The folder with the records of all agents."""
        if cli_files.is_cli_file(path):
            return [cli_files.container_of(path) / cli_files.SUBAGENTS]
        return [agents_folder(path)] if is_in_session(path) else ()

    def read(self, transcript: Transcript, cursor: Cursor) -> Reading:
        """Open a transcript at a cursor."""
        if cli_files.is_container(transcript.path):
            from memtui_core.readers.agents.kimi.cli_context import ContextReading
            from memtui_core.readers.agents.kimi.cli_wire import WireReading

            files = cli_files.files_of(transcript.path, transcript.part)
            reading = ContextReading if files.wire is None else WireReading
            return reading(files, transcript, cursor)
        return super().read(transcript, cursor)


def _is_record(entry: dict[str, Any]) -> bool:
    kind = entry.get("type")
    return (kind == "metadata" and "protocol_version" in entry) or (kind == "config.update" and "modelAlias" in entry)
