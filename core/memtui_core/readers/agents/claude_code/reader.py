"""The reader of Claude Code: its locations, retention and commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.claude_code.profile import PROFILE
from memtui_core.readers.base import Cursor, Reading, Retention, Transcript
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.first_entry import first_entry
from memtui_core.system.locations import folder_of, home_in
from memtui_core.system.walk import RegularFile

if TYPE_CHECKING:
    from memtui_core.readers.formats.prompt_history import PromptHistory
    from memtui_core.readers.new_session import NewSession, Rewinding, SessionFile

DEFAULT_DAYS: Final = 30
"""The default of Claude Code for `cleanupPeriodDays`."""
HISTORY: Final = "history.jsonl"
"""The file with the prompts of all sessions."""
_CLEANUP: Final = "cleanupPeriodDays"


class ClaudeCode(FileReader):
    """The reader of Claude Code, and of every JSON lines file that no other reader accepts."""

    agent = "claude-code"
    name = "Claude Code"
    short_name = "claude"
    label = "cc"
    profile = PROFILE
    own_folders: Sequence[str] = (
        "/.claude/projects/",
        "/.claude/plugins/",
        "/.claude/jobs/",
        "/tool-results/",
        "/.claude/todos/",
    )
    tested_version = "2.1.237"
    copying = Copying(locations=(f".claude/{HISTORY}",))
    reading = "memtui_core.readers.agents.claude_code.transcript:ClaudeCodeReading"
    resume: Sequence[str] = ("claude", "--resume")
    start: Sequence[str] = ("claude",)
    connection = "memtui_core.readers.agents.claude_code.connection:CONNECTION"

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The `projects` folder and the file with prompts, in `CLAUDE_CONFIG_DIR` or in `~/.claude`."""
        folder = folder_of(environ.get("CLAUDE_CONFIG_DIR")) or home_in(environ) / ".claude"
        return [folder / "projects", *(path for path in (folder / HISTORY,) if path.exists())]

    def accepts(self, path: Path) -> bool:
        """Whether it is a JSON lines file."""
        return path.suffix == ".jsonl"

    def transcripts(self, file: RegularFile) -> Iterable[Transcript]:
        """The file as one transcript, or the sessions in the file with prompts."""
        if file.path.name == HISTORY and first_entry(file.path).keys() >= {"display", "timestamp"}:
            return self._prompts.transcripts(file.path, file.mtime)
        return super().transcripts(file)

    def subagent_locations(self, path: Path) -> Sequence[Path]:
        """The folder with the name of the session."""
        return [path.with_suffix("")]

    def read(self, transcript: Transcript, cursor: Cursor) -> Reading:
        """Open a transcript at a cursor."""
        if transcript.prompts_only:
            return self._prompts.read(transcript, cursor)
        return super().read(transcript, cursor)

    def retention(self, location: Path) -> Retention | None:
        """The value of `cleanupPeriodDays` in the settings next to `projects`, or its default."""
        if location.name != "projects" or not location.exists():
            return None
        settings = location.parent / "settings.json"
        return Retention(self.agent, self.name, _days(settings), settings, _CLEANUP)

    def session_file(self, session: NewSession, environ: Mapping[str, str]) -> SessionFile:
        """A file in the `projects` folder."""
        from memtui_core.readers.agents.claude_code.session_file import session_file

        return session_file(self.default_locations(environ)[0], session)

    def rewound(self, rewinding: Rewinding, environ: Mapping[str, str]) -> SessionFile:
        """A file in the `projects` folder with the entries of the conversation before a place."""
        from memtui_core.readers.agents.claude_code.rewinding import rewound

        return rewound(self.default_locations(environ)[0], rewinding)

    @cached_property
    def _prompts(self) -> PromptHistory:
        from memtui_core.readers.agents.claude_code.history import on_disk, prompt_in
        from memtui_core.readers.formats.prompt_history import PromptHistory

        return PromptHistory(self.agent, prompt_in, on_disk)


def _days(settings: Path) -> int:
    import orjson

    try:
        content = orjson.loads(settings.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return DEFAULT_DAYS
    days = content.get(_CLEANUP, DEFAULT_DAYS) if isinstance(content, dict) else DEFAULT_DAYS
    return days if isinstance(days, int) and not isinstance(days, bool) and days >= 0 else DEFAULT_DAYS
