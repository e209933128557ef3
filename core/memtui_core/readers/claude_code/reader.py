"""The reader of Claude Code: its locations, retention and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.base import Cursor, Retention, Transcript
from memtui_core.system.locations import folder_of

if TYPE_CHECKING:
    from memtui_core.readers.claude_code.transcript import ClaudeCodeReading
    from memtui_core.readers.new_session import NewSession, SessionFile

DEFAULT_DAYS: Final = 30
"""The default of Claude Code for `cleanupPeriodDays`."""
_CLEANUP: Final = "cleanupPeriodDays"


class ClaudeCode(FileReader):
    """The reader of Claude Code, and of every JSON lines file that no other reader accepts."""

    agent = "claude-code"
    name = "Claude Code"
    short_name = "claude"
    label = "cc"
    own_folders: Sequence[str] = (
        "/.claude/projects/",
        "/.claude/plugins/",
        "/.claude/jobs/",
        "/tool-results/",
        "/.claude/todos/",
    )
    tested_version = "2.1.237"

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The `projects` folder, in `CLAUDE_CONFIG_DIR` or in `~/.claude`."""
        folder = folder_of(environ.get("CLAUDE_CONFIG_DIR")) or Path.home() / ".claude"
        return [folder / "projects"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a JSON lines file."""
        return path.suffix == ".jsonl"

    def subagent_locations(self, path: Path) -> Sequence[Path]:
        """The folder with the name of the session."""
        return [path.with_suffix("")]

    def read(self, transcript: Transcript, cursor: Cursor) -> ClaudeCodeReading:
        """Open a transcript at a cursor."""
        # Hooks and the app use names and commands only: importing the decoder would delay their start.
        from memtui_core.readers.claude_code.transcript import ClaudeCodeReading

        return ClaudeCodeReading(transcript, cursor)

    def retention(self, location: Path) -> Retention | None:
        """The value of `cleanupPeriodDays` in the settings next to `projects`, or its default."""
        if location.name != "projects" or not location.exists():
            return None
        settings = location.parent / "settings.json"
        return Retention(self.name, _days(settings), settings, _CLEANUP)

    def resume_command(self, session_id: str) -> list[str] | None:
        """`claude --resume`."""
        return ["claude", "--resume", session_id]

    def start_command(self, prompt: str) -> list[str]:
        """`claude` with the prompt as its argument."""
        return ["claude", prompt]

    def session_file(self, session: NewSession, environ: Mapping[str, str]) -> SessionFile:
        """A file in the `projects` folder."""
        from memtui_core.readers.claude_code.session_file import session_file

        return session_file(self.default_locations(environ)[0], session)


def _days(settings: Path) -> int:
    import orjson

    try:
        content = orjson.loads(settings.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return DEFAULT_DAYS
    days = content.get(_CLEANUP, DEFAULT_DAYS) if isinstance(content, dict) else DEFAULT_DAYS
    return days if isinstance(days, int) and not isinstance(days, bool) and days >= 0 else DEFAULT_DAYS
