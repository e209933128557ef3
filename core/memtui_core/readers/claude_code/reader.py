"""The agent: where it keeps its transcripts and for how long, and how a session of it is resumed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui_core.readers.base import Cursor, Retention, Transcript
from memtui_core.system.locations import folder_of
from memtui_core.system.walk import Regular

if TYPE_CHECKING:
    from memtui_core.readers.claude_code.transcript import ClaudeCodeReading

DEFAULT_DAYS: Final = 30
"""What Claude Code takes where `cleanupPeriodDays` is not set."""
_CLEANUP: Final = "cleanupPeriodDays"


class ClaudeCode:
    """The reader of Claude Code, which takes every file of JSON lines that no other reader accepts."""

    agent = "claude-code"
    name = "Claude Code"
    short_name = "claude"
    own_folders: Sequence[str] = (
        "/.claude/projects/",
        "/.claude/plugins/",
        "/.claude/jobs/",
        "/tool-results/",
        "/.claude/todos/",
    )

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folder of the projects, in the home folder or in the one that is set."""
        folder = folder_of(environ.get("CLAUDE_CONFIG_DIR")) or Path.home() / ".claude"
        return [folder / "projects"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a file of JSON lines."""
        return path.suffix == ".jsonl"

    def container(self, path: Path) -> Path:
        """The file: each is one transcript."""
        return path

    def transcripts(self, file: Regular) -> Iterable[Transcript]:
        """The file as it is."""
        return (Transcript(self.agent, file.path, file.size, file.mtime),)

    def beside(self, path: Path) -> Sequence[Path]:
        """The folder that is named like the session."""
        return [path.with_suffix("")]

    def read(self, transcript: Transcript, cursor: Cursor) -> ClaudeCodeReading:
        """Read a transcript from a cursor on."""
        # Hooks and the app ask for names and commands, and need not load what decodes entries.
        from memtui_core.readers.claude_code.transcript import ClaudeCodeReading

        return ClaudeCodeReading(transcript, cursor)

    def retention(self, location: Path) -> Retention | None:
        """The days of `cleanupPeriodDays` in the settings beside the projects; without the setting the default."""
        if location.name != "projects" or not location.exists():
            return None
        settings = location.parent / "settings.json"
        return Retention(self.name, _days(settings), settings, _CLEANUP)

    def resume_command(self, session_id: str) -> list[str] | None:
        """`claude --resume`."""
        return ["claude", "--resume", session_id]


def _days(settings: Path) -> int:
    import orjson

    try:
        content = orjson.loads(settings.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return DEFAULT_DAYS
    days = content.get(_CLEANUP, DEFAULT_DAYS) if isinstance(content, dict) else DEFAULT_DAYS
    return days if isinstance(days, int) and not isinstance(days, bool) and days >= 0 else DEFAULT_DAYS
