"""The reader of OpenClaw: its locations and files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from memtui_core.readers.agents.openclaw.file_names import (
    AGENTS,
    STORE,
    is_database,
    is_in_home,
    is_session_file,
    is_trajectory,
)
from memtui_core.readers.agents.openclaw.profile import PROFILE
from memtui_core.readers.base import Transcript
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.databases import DatabaseReader
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import folder_of, home_in
from memtui_core.system.walk import RegularFile


class OpenClaw(DatabaseReader):
    """The reader of OpenClaw. Copies of a session are transcripts of that session: shared entries count once."""

    agent = "openclaw"
    name = "OpenClaw"
    short_name = "openclaw"
    label = "ow"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.openclaw/agents/", "/.clawdbot/agents/")
    samples_only = True
    sessions = "memtui_core.readers.agents.openclaw.database:sessions_in"
    copying = Copying(
        beside=tuple(f"{home}/{AGENTS}/*/sessions/{STORE}" for home in (".openclaw", ".clawdbot")),
        tables=dict.fromkeys(
            ("transcript_events", "session_nodes", "session_entries", "session_windows", "sessions"), ""
        ),
    )

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folders of all agents, in `OPENCLAW_STATE_DIR` or in `~/.openclaw`, and in that of an earlier name."""
        home = folder_of(environ.get("OPENCLAW_STATE_DIR")) or home_in(environ) / ".openclaw"
        return [home / AGENTS, home_in(environ) / ".clawdbot" / AGENTS]

    def is_database(self, path: Path) -> bool:
        """Whether a file has the name and the place of the database of an agent, or of a file beside one."""
        return is_database(path)

    def accepts(self, path: Path) -> bool:
        """Whether it is the database of an agent or a file of a session: by its place, elsewhere by its first line."""
        if self.is_database(path):
            return True
        if not is_session_file(path):
            return False
        return is_in_home(path) or first_entry(path).get("type") == "session"

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The sessions of a database, or that of a file; the log of the runs of a session is none."""
        return () if is_trajectory(file.path) else super().transcripts(file)

    def reading_of(self, transcript: Transcript) -> str:
        """The class for a session in a database, or for one in a file."""
        name = "RowsReading" if transcript.part else "FileReading"
        return f"memtui_core.readers.agents.openclaw.transcript:{name}"
